"""Errors that end a command with a message instead of a traceback."""

from __future__ import annotations


class RunFailed(Exception):
    """A run that failed; the message says what happened, where, and what to do."""

    exit_status = 1


class WrongUsage(RunFailed):
    """An invalid request; the message names the option and says what is valid."""

    exit_status = 2


class WrongSettings(WrongUsage):
    """An invalid setting; the message names it and says what is valid."""
