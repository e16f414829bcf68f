"""Commands as they are typed."""

from __future__ import annotations

from flows.cli.app import main


def tenkbench(*words: str) -> int:
    """Run a command in this process; return its exit status."""
    try:
        main(words)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def succeed(*words: str) -> None:
    """Run a command in this process that has to end with status 0."""
    assert tenkbench(*words) == 0, words
