"""Progress of work and the calls made, in lines on the standard error stream."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flows.cli.views.console import print_note
from tasks.core.prefect_engine import ON_PREFECT
from tasks.core.progress import Pieces, Progress, hearing, listening

LOG_BEAT_S = 30.0  # seconds between the lines on unfinished work


@contextmanager
def progress_shown(*, verbose: bool) -> Iterator[None]:
    """Print the progress of the block on the standard error stream.

    A terminal has bars, unless `verbose` asks for a line at the end of each piece of work.
    """
    if ON_PREFECT:
        print_note("Starting Prefect ...")
    lines = progress_lines(print_note, LOG_BEAT_S, ends=verbose)
    shown = _progress_bar() if sys.stderr.isatty() and not verbose else lines
    with hearing(print_note), shown:
        yield


@contextmanager
def _progress_bar() -> Iterator[None]:
    """Show a bar for each unfinished piece of work, with the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"), BarColumn(), console=Console(stderr=True), transient=True
    )
    shown: dict[str, TaskID] = {}

    def hear(progress: Progress) -> None:
        task = shown.get(progress.what)
        if task is None:
            task = shown[progress.what] = bars.add_task(str(progress), total=progress.total)
        bars.update(
            task,
            description=str(progress),
            completed=progress.done,
            total=progress.total,
            visible=progress.is_open,
        )

    with bars, listening(hear):
        yield


@contextmanager
def progress_lines(
    write: Callable[[str], None], beat_s: float, *, ends: bool = True
) -> Iterator[None]:
    """Write a line on each beat on unfinished work, and, if asked, one when a piece of it ends.

    They come even without news, because silence looks like a crash.
    """
    under_way: dict[str, Progress] = {}
    ended = threading.Event()
    last = ""

    def hear(progress: Progress) -> None:
        nonlocal last
        if progress.is_open:
            under_way[progress.what] = progress
            return
        last = f", after {progress.what}"
        under_way.pop(progress.what, None)
        if progress.done and ends:
            write(progress.so_far)

    def keep_writing() -> None:
        while not ended.wait(beat_s):
            for what in list(map(str, under_way.values())) or [f"still at work{last}"]:
                write(f"{what} ...")

    thread = threading.Thread(target=keep_writing, daemon=True)
    with listening(hear):
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


# --- calls and cost, printed however a run ends ------------------------------------------

CALLS = Pieces()  # of this process's run; to hear an announcement twice changes nothing


def calls_made() -> str | None:
    """Summarize the run's calls and their cost per model, or return None without calls."""
    by_model: dict[str, Pieces] = {}
    for progress in list(CALLS.latest.values()):
        if progress.model is not None:
            by_model.setdefault(progress.model, Pieces()).hear(progress)
    if not by_model:
        return None
    lines = [_of_model(model, pieces) for model, pieces in by_model.items()]
    dollars = sum(pieces.sum_of("dollars") for pieces in by_model.values())
    in_all = [f"${dollars:,.2f} in all"] if dollars and len(lines) > 1 else []
    return f"This run's calls: {'; '.join([*lines, *in_all])}."


def _of_model(model: str, pieces: Pieces) -> str:
    dollars = pieces.sum_of("dollars")
    parts = [
        f"{model}: {pieces.sum_of('sent'):,.0f} sent" + (f" for ${dollars:,.2f}" if dollars else "")
    ]
    for count, what in {"reused": "reused at no cost", "failed": "failed"}.items():
        if n_calls := pieces.sum_of(count):
            parts.append(f"{n_calls:,.0f} {what}")
    return ", ".join(parts)
