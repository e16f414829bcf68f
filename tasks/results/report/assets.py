"""The page's style and scripts, and a content policy for them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

# Concatenated in this order into one module, so that they need no loader.
_SCRIPTS = ("elements.js", "blocks.js", "tables.js", "case.js", "cases.js")


def scripts() -> list[str]:
    """Return the page's scripts in the order in which they run."""
    return [data_tables(), "\n".join(file_text(name) for name in _SCRIPTS)]


def file_text(name: str) -> str:
    return (files("tasks.results.report") / name).read_text(encoding="utf-8")


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


def content_policy(allowed_scripts: Sequence[str], style: str) -> str:
    """Write a content policy that allows only these scripts and this style."""
    allowed = " ".join(_hash(script) for script in allowed_scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
