"""The page: one HTML file that loads nothing and runs only its own scripts.

Model output reaches the page in two ways only: as text that the template escapes, and as packed
data that the scripts insert as text. The content policy allows only our scripts and style, by hash.

`gather` queries the warehouse once, `provenance` reads the lake's commits, and `measured` holds
what they found. `verdict` writes the first sentences, `contents` fills the sections, also those
that only one suite has, with `tables` and `panels`. `cases` packs the answers. Sentences are
in `messages.toml`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tasks.results.report import contents
from tasks.results.report.cases import case_data, packed
from tasks.results.report.failures import trial_sentences
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured
from tasks.results.report.messages import listed, say_html, text_of
from tasks.results.report.provenance import Provenance
from tasks.results.report.tables import by_judge
from tasks.results.report.verdict import caveats, verdict, warnings
from tasks.text.shares import interval, probability, share, signed_share
from tasks.text.visible import visible

if TYPE_CHECKING:
    import duckdb

    from tasks.suites.suite import Suite

# Concatenated in this order into one module, so that they need no loader.
_SCRIPTS = ("elements.js", "blocks.js", "tables.js", "case.js", "cases.js")
# Relations whose rows stand in `cases`, with no more of the filings than the page shows.
_OF_CASES = ("reports.explain", "raw.qa_pairs", "suites.evidence")


def page(
    warehouse: duckdb.DuckDBPyConnection,
    sources: Provenance,
    suite: Suite,
    release: str,
    *,
    n_checks: int,
    as_json: bool = False,
    index: str | None = None,
) -> str:
    """Render the report of a suite in one release as HTML, or write what it shows as JSON.

    The warehouse has the parameters of `sources`. `n_checks` is the number of checks before
    scoring, and `index` the address of the overview.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    judges, parameters = sources.judges, sources.parameters
    reports = gather(warehouse, suite, release, judges, parameters)
    measured = measured_of(reports, suite, release, judges=judges, parameters=parameters)
    if as_json:
        return page_data(measured, sources, n_checks)
    return page_of(measured, sources, n_checks, index)


def page_of(
    measured: Measured, sources: Provenance, n_checks: int, index: str | None = None
) -> str:
    """Render what was measured as HTML."""
    scripts = [Markup(data_tables()), Markup("\n".join(map(text_of, _SCRIPTS)))]
    template = templates().get_template("page.html.jinja")
    of_cases, questions = case_data(measured)
    return template.render(
        index=index,
        measured=measured,
        sections=contents.sections(measured),
        blocks={"index": packed(of_cases), "chunks": list(map(packed, questions))},
        sources=sources,
        n_checks=n_checks,
        style=Markup(text_of("page.css")),
        scripts=scripts,
        policy=policy_of(scripts),
    )


def page_data(measured: Measured, sources: Provenance, n_checks: int) -> str:
    """Write what the page shows as JSON, numbers unrounded."""
    _, questions = case_data(measured)
    shown = {
        "suite": measured.suite.name,
        "release": measured.release,
        "judge": measured.judge,
        "verdict": verdict(measured),
        "warnings": warnings(measured, is_of_samples=sources.is_of_samples),
        "n_answers": measured.n_answers,
        "n_unscored": measured.n_unscored,
        "n_checks": n_checks,
        "models": [asdict(model) for model in measured.models],
        "sources": asdict(sources),
        "relations": {
            relation: rows
            for relation, rows in measured.reports.items()
            if relation not in _OF_CASES
        },
        "questions": questions,
    }
    return json.dumps(shown, ensure_ascii=False, indent=1)


@cache  # compiling the templates takes a twentieth of a report's time
def templates() -> Environment:
    """Return the environment of the page's templates."""
    environment = Environment(
        loader=PackageLoader("tasks.results.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.globals |= {
        "by_judge": by_judge,
        "caveats": caveats,
        "meaning": contents.meaning,
        "pairs": contents.pairs,
        "say": say_html,
        "trial_sentences": trial_sentences,
        "verdict": verdict,
        "widest": contents.widest,
    }
    environment.filters |= {
        "share": share,
        "ends": lambda cell: interval(cell.low, cell.high),
        "change": lambda value: signed_share(value, minus="−"),
        "count": lambda n: f"{n:,}",
        "probability": probability,
        "moment": lambda text: datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M"),
        "listed": listed,
    }
    return environment


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# --- style and scripts ----------------------------------------------------------------------


def data_tables() -> str:
    """Return DataTables' script from the package itables; it defines `DataTable`.

    The file is found without importing itables, which is made for notebooks.

    Raises:
        RuntimeError: this version of itables has another layout.
    """
    package = find_spec("itables")
    folders = (package.submodule_search_locations if package else None) or [""]
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


def policy_of(scripts: Sequence[str]) -> str:
    """Write the content policy that allows only these scripts and our style."""
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; "
        f"style-src {_hash(text_of('page.css'))}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
