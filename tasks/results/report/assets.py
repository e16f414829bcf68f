"""The page's style and scripts, and a content policy for them."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from markupsafe import Markup

# Concatenated in this order into one module, so that they need no loader.
_SCRIPTS = ("elements.js", "blocks.js", "tables.js", "case.js", "cases.js")


class Assets:
    """The page's style, its scripts in the order in which they run, and their policy."""

    def __init__(self) -> None:
        page, self.style = "\n".join(map(_text, _SCRIPTS)), Markup(_text("page.css"))
        self.scripts = [Markup(script) for script in (data_tables(), page)]
        allowed = " ".join(map(_hash, self.scripts))
        self.policy = (  # it allows only these scripts and this style
            f"default-src 'none'; script-src {allowed}; style-src {_hash(self.style)}; "
            "base-uri 'none'; form-action 'none'"
        )


def data_tables() -> str:
    """Return DataTables' script from the package itables; it defines `DataTable`.

    The file is found without importing itables, which is made for notebooks.

    Raises:
        RuntimeError: this version of itables has another layout.
    """
    found = find_spec("itables")
    folders = (found.submodule_search_locations if found else None) or [""]
    script = Path(folders[0], "html", "dt_bundle.js").read_text(encoding="utf-8")
    body, _, exports = script.rpartition("export{")
    jquery = re.search(r"(\w+) as jQuery\b", exports.partition("}")[0])
    if jquery is None:
        raise RuntimeError(
            "itables' script does not export DataTables; install the version in requirements.lock"
        )
    licenses = exports.partition(";")[2]
    return f"{body}globalThis.DataTable={jquery[1]}.fn.dataTable;{licenses}".replace(
        "</script", "<\\/script"
    )


def _text(name: str) -> str:
    return (files("tasks.results.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
