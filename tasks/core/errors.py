"""The errors that end a command with a sentence instead of a traceback."""

from __future__ import annotations


class RunFailed(Exception):
    """What was asked could not be done; the message says what happened, where, and what to do."""

    exit_status = 1


class WrongUsage(RunFailed):
    """What was asked makes no sense; the message names the option and says what would do."""

    exit_status = 2


class WrongSettings(WrongUsage):
    """A setting that cannot be used; the message names it and says what would do."""
