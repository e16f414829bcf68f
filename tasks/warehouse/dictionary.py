"""The lists in `sql/README.md`, made from the comments of the warehouse.

    python -m tasks.warehouse.dictionary

writes them again; a test fails if they are not current.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from tasks.warehouse.comments import grains, meaning
from tasks.warehouse.connection import open_warehouse

README = Path(str(files("sql"))) / "README.md"

_UNITS = "suites.units"
_LIST = re.compile(r"(<!-- (\w+): [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(text: str) -> str:
    """Replace the lists between their markers, `<!-- relations: ... -->` and `<!-- end -->`."""
    lists = {"relations": _relations, "units": _units}
    return _LIST.sub(lambda found: f"{found[1]}{lists[found[2]]()}{found[3]}", text)


def _relations() -> str:
    return _table(("relation", "what it holds"), grains().items())


def _units() -> str:
    with open_warehouse({}, asked=f"from {_UNITS}") as connection:
        columns = [name for name, *_ in connection.execute(f"describe {_UNITS}").fetchall()]
    described = ((name, meaning(_UNITS, name)) for name in columns)
    return _table(
        ("column of `units`", "what it is"),
        ((name, found.text) for name, found in described if found),
    )


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = ["| {} | {} |".format(*head), "|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
