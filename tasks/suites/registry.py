"""The suites that there are, by name; a suite's parts are imported when it is asked for."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

from tasks.core.errors import WrongUsage
from tasks.suites.suite import Suite

# name -> the package that has it: `SUITE` in its `__init__.py`, `ROW_TYPES` in its `rows.py` if it has tables of its own.
SUITES: dict[str, str] = {"failsafeqa": "tasks.suites.failsafeqa", "faith": "tasks.suites.faith"}


class UnknownSuite(WrongUsage):
    """A suite that does not exist (yet)."""


def load_suite(name: str) -> Suite:
    """A suite by name; its parts are imported here, not before.

    Raises:
        UnknownSuite: there is none of this name; the message lists what there is.
    """
    if name not in SUITES:
        raise UnknownSuite(
            f"no suite is named {name!r}; `tenkbench suites` lists them: {', '.join(SUITES)}"
        )
    suite: Suite = import_module(SUITES[name]).SUITE
    return suite


def row_types() -> tuple[type, ...]:
    """Return the row types that single suites have besides those of `tasks.core.rows`."""
    return tuple(row_type for package in SUITES.values() for row_type in _row_types_of(package))


def _row_types_of(package: str) -> tuple[type, ...]:
    """Import a package's `rows` alone: its `__init__.py`, and so the whole suite, would take a tenth of a second."""
    name = f"{package}.rows"
    if name not in sys.modules:
        suite = find_spec(package)
        folders = None if suite is None else suite.submodule_search_locations
        spec = PathFinder.find_spec(name, folders)
        if spec is None or spec.loader is None:  # the suite has no tables of its own
            return ()
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    found: tuple[type, ...] = sys.modules[name].ROW_TYPES
    return found
