"""Progress of work: bars on a terminal, lines in a log."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Task, TaskID
from rich.progress import Progress as RichProgress
from rich.table import Table
from rich.text import Text

from tasks.core.progress import Progress, hearing, listening

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
    _print_line("Starting Prefect ...")
    lines = PlainLines()
    ended = threading.Event()

    def keep_telling() -> None:
        while not ended.wait(_BEAT_S):
            lines.beat()

    thread = threading.Thread(target=keep_telling, daemon=True)
    with listening(lines.hear), hearing(_print_line):
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _print_line(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class PlainLines:
    """Log lines on each beat and when a piece of work ends."""

    def __init__(self) -> None:
        self.under_way: dict[str, Progress] = {}
        self.told: dict[str, Progress] = {}

    def hear(self, progress: Progress) -> None:
        """Record an announcement."""
        if progress.is_open:
            self.under_way[progress.what] = progress
            return
        self.under_way.pop(progress.what, None)
        if progress.done:
            _print_line(progress.so_far)

    def beat(self) -> None:
        """Report unfinished work even without news, because silence looks like a crash."""
        for what, now in list(self.under_way.items()):
            if self.told.get(what) != now:
                _print_line(f"{now} ...")
            elif now.done < now.total:
                _print_line(f"{what}: still {now.done:,} of {now.total:,} ...")
            self.told[what] = now


# --- a terminal ----------------------------------------------------------------------------


@contextmanager
def bars_shown(console: Console) -> Iterator[None]:
    """Show a row per running piece of work, lines for ended ones."""
    with _Bars(console=console) as bars:
        rows: dict[str, TaskID] = {}
        waiting = bars.add_task("Starting Prefect", total=None, remarks="")

        def tell(sentence: str) -> None:
            console.print(sentence, markup=False, highlight=False)

        def show(now: Progress) -> None:
            bars.update(waiting, visible=False)
            if not now.is_open:
                if now.what in rows:
                    bars.remove_task(rows.pop(now.what))
                if now.done:
                    tell(now.so_far)
                return
            if now.what not in rows:
                rows[now.what] = bars.add_task(now.what, total=now.total, remarks="")
            remarks = ", ".join([*now.outlook, *now.remarks])
            bars.update(rows[now.what], completed=now.done, total=now.total, remarks=remarks)

        with listening(show), hearing(tell):
            yield


_BAR_WIDTH = 20
_NARROWEST_WITH_BAR = 100


class _Bars(RichProgress):
    """Rows that shorten names and remarks before counts and times.

    rich's own table cuts the counts first. A narrow terminal gets no bar.
    """

    def make_tasks_table(self, tasks: Iterable[Task]) -> Table:
        """Make the rows of visible tasks for the terminal's current width."""
        rows = [
            (task, _count(task), str(timedelta(seconds=int(task.elapsed or 0))))
            for task in tasks
            if task.visible
        ]
        table = Table.grid(padding=(0, 1, 0, 0))
        if not rows:
            return table
        bar = BarColumn(_BAR_WIDTH) if self.console.width >= _NARROWEST_WITH_BAR else None
        n_count = max(len(count) for _, count, _ in rows)
        n_time = max(len(time) for _, _, time in rows)
        kept = [n_count, n_time] if bar is None else [_BAR_WIDTH, n_count, n_time]
        left = self.console.width - sum(kept) - (len(kept) + 2)  # a space after each column
        n_remarks = max(len(task.fields["remarks"]) for task, _, _ in rows)
        n_what = min(
            max(len(task.description) for task, _, _ in rows), max(left * 3 // 5, left - n_remarks)
        )
        for width in (n_what, *kept, left - n_what):
            table.add_column(width=max(1, width), no_wrap=True, overflow="ellipsis")
        for task, count, time in rows:
            bars = [] if bar is None else [bar(task)]
            cells = [Text(text) for text in (task.description, count, time, task.fields["remarks"])]
            table.add_row(cells[0], *bars, *cells[1:])
        return table


def _count(task: Task) -> str:
    return "" if task.total is None else f"{task.completed:,.0f}/{task.total:,.0f}"
