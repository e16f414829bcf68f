"""Progress of work, in lines on the standard error stream."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.core.prefect_engine import ON_PREFECT
from tasks.core.progress import Progress, hearing, listening
from tasks.text.visible import visible

# Seconds between the lines on unfinished work, for a person and for a log.
_BEAT_S, _BEAT_OF_A_LOG_S = 10.0, 30.0


@contextmanager
def progress_shown() -> Iterator[None]:
    """Report each piece of work at its end, and unfinished work on each beat."""
    if ON_PREFECT:
        print_line("Starting Prefect ...")
    lines = ProgressLines()
    ended = threading.Event()
    beat_s = _BEAT_S if sys.stderr.isatty() else _BEAT_OF_A_LOG_S

    def keep_telling() -> None:
        while not ended.wait(beat_s):
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


class ProgressLines:
    """Lines on each beat and when a piece of work ends."""

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
