"""The suites that there are, by name; a suite's parts are imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from tasks.core.errors import WrongUsage
from tasks.suites.suite import Suite


class UnknownSuite(WrongUsage):
    """A suite that does not exist (yet)."""


def load_suite(name: str) -> Suite:
    """A suite by name; its parts are imported here, not before.

    Raises:
        UnknownSuite: there is none of this name; the message lists what there is.
    """
    if name not in SUITES:
        raise UnknownSuite(f"no suite is named {name!r}; `tenkbench suites` lists them: {', '.join(SUITES)}")
    return SUITES[name]()


def _failsafeqa() -> Suite:
    from tasks.suites.failsafeqa import SUITE

    return SUITE


def _faith() -> Suite:
    from tasks.suites.faith import SUITE

    return SUITE


SUITES: dict[str, Callable[[], Suite]] = {"failsafeqa": _failsafeqa, "faith": _faith}
