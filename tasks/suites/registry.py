"""All suites by name; each is imported only on demand."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

from tasks.core.errors import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tasks.suites.shared.published import Exported
    from tasks.suites.suite import RowsOf, Suite

# name -> package, with `SUITE` in its `__init__.py` and any `ROW_TYPES` in its `rows.py`
SUITES: dict[str, str] = {
    "failsafeqa": "tasks.suites.failsafeqa",
    "tablequest": "tasks.suites.tablequest",
    "faith": "tasks.suites.faith",
    "longcontext": "tasks.suites.longcontext",
    "refusalbench": "tasks.suites.refusalbench",
}


class UnknownSuite(WrongUsage):
    """A suite that does not exist."""


def load_suite(name: str) -> Suite:
    """Import and return a suite.

    Raises:
        UnknownSuite: no suite has this name; the message lists all.
    """
    if name not in SUITES:
        raise UnknownSuite(
            f"no suite is named {name!r}; choose from {', '.join(SUITES)}, several with commas, "
            "or all"
        )
    suite: Suite = import_module(SUITES[name]).SUITE
    return suite


def suites_named(names: str) -> list[str]:
    """List the suites that a setting names: one, several with commas between, or `all`.

    Raises:
        UnknownSuite: no suite has such a name.
    """
    named = list(dict.fromkeys(SUITES if names == "all" else map(str.strip, names.split(","))))
    for name in named:
        if name not in SUITES:
            load_suite(name)
    return named


def row_types() -> tuple[type, ...]:
    """Return all suites' own row types, without those of `tasks.core.rows`."""
    return tuple(row_type for package in SUITES.values() for row_type in row_types_of(package))


def with_exports() -> list[str]:
    """List the suites that write a file in their authors' layout."""
    return [name for name, package in SUITES.items() if _find(package, "export") is not None]


def load_export(name: str) -> Callable[[Path, RowsOf], Exported]:
    """Return the writer of its authors' layout of a suite `with_exports`, from rows to a file."""
    export: Callable[[Path, RowsOf], Exported] = import_module(f"{SUITES[name]}.export").export
    return export


def _find(package: str, module: str) -> ModuleSpec | None:
    """Find a suite's module without its `__init__.py`, which imports the whole suite, in 0.1 s."""
    suite = find_spec(package)
    folders = None if suite is None else suite.submodule_search_locations
    return PathFinder.find_spec(f"{package}.{module}", folders)


def row_types_of(package: str) -> tuple[type, ...]:
    """Return the row types of a suite's package, whose `rows` alone is imported."""
    name = f"{package}.rows"
    if name not in sys.modules:
        spec = _find(package, "rows")
        if spec is None or spec.loader is None:  # the suite has no own row types
            return ()
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    row_types: tuple[type, ...] = sys.modules[name].ROW_TYPES
    return row_types
