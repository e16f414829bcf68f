"""Progress of work: bars on a terminal, lines in a log."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.table import Column

from tasks.core.prefect_engine import ON_PREFECT
from tasks.core.progress import Progress, hearing, listening
from tasks.text.visible import visible

_NARROWEST_WITH_BAR = 100
_BEAT_S = 30.0  # between a log's lines on unfinished work


@contextmanager
def progress_shown() -> Iterator[None]:
    """Show the progress of the block on the standard error stream."""
    if sys.stderr.isatty():
        with bars_shown(Console(stderr=True)):
            yield
    else:
        with _plain_lines():
            yield


# --- a log ---------------------------------------------------------------------------------


@contextmanager
def _plain_lines() -> Iterator[None]:
    if ON_PREFECT:
        print_line("Starting Prefect ...")
    lines = PlainLines()
    ended = threading.Event()

    def keep_telling() -> None:
        while not ended.wait(_BEAT_S):
            lines.beat()

    thread = threading.Thread(target=keep_telling, daemon=True)
    with listening(lines.hear), hearing(print_line):
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def print_line(line: str) -> None:
    """Print a line on the standard error stream."""
    print(visible(line), file=sys.stderr, flush=True)


class PlainLines:
    """Log lines on each beat and when a piece of work ends."""

    def __init__(self) -> None:
        self.under_way: dict[str, Progress] = {}

    def hear(self, progress: Progress) -> None:
        """Record an announcement."""
        if progress.is_open:
            self.under_way[progress.what] = progress
            return
        self.under_way.pop(progress.what, None)
        if progress.done:
            print_line(progress.so_far)

    def beat(self) -> None:
        """Report unfinished work even without news, because silence looks like a crash."""
        for now in list(self.under_way.values()):
            print_line(f"{now} ...")


# --- a terminal ----------------------------------------------------------------------------


@contextmanager
def bars_shown(console: Console) -> Iterator[None]:
    """Show a row per running piece of work, lines for ended ones.

    A narrow terminal shortens names and remarks before counts and times.
    """

    def text(field: str, ratio: int | None = None) -> TextColumn:
        column = Column(ratio=ratio, no_wrap=True, overflow="ellipsis")
        return TextColumn(f"{{task.{field}}}", markup=False, table_column=column)

    with RichProgress(
        text("description", ratio=3),
        *([BarColumn(20)] if console.width >= _NARROWEST_WITH_BAR else []),
        text("fields[count]"),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        text("fields[remarks]", ratio=2),
        console=console,
        expand=True,
    ) as bars:
        rows: dict[str, TaskID] = {}
        starting = "Starting Prefect" if ON_PREFECT else "Starting"
        waiting = bars.add_task(starting, total=None, count="", remarks="")

        def tell(sentence: str) -> None:
            console.print(visible(sentence), markup=False, highlight=False)

        def show(now: Progress) -> None:
            bars.update(waiting, visible=False)
            if not now.is_open:
                if now.what in rows:
                    bars.remove_task(rows.pop(now.what))
                if now.done:
                    tell(now.so_far)
                return
            if now.what not in rows:
                rows[now.what] = bars.add_task(now.what, count="", remarks="")
            remarks = ", ".join([*now.outlook, *now.remarks])
            count = f"{now.done:,}/{now.total:,}"
            bars.update(
                rows[now.what], completed=now.done, total=now.total, count=count, remarks=remarks
            )

        with listening(show), hearing(tell):
            yield
