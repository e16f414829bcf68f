"""The data set card: a README with Hugging Face front matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.lake.lake import may_change
from tasks.results.publish.facts import ReleaseFacts, SuiteFacts
from tasks.results.publish.rows import has_evidence, has_traits
from tasks.suites.registry import SUITES, load_suite
from tasks.text.visible import visible

_TENKBENCH = """```bibtex
@software{{tenkbench,
  title = {{tenkbench: from SEC 10-K filings to reliability benchmarks}},
  version = {{{version}}}
}}
```"""

# This tag identifies our cards.
_TAG = "tenkbench"

# The hub's size categories: fewer rows than this.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(releases: Sequence[ReleaseFacts], version: str) -> str:
    """Write the README of a data set: front matter and text.

    Args:
        releases: in the order of the splits, each with at least one suite.
        version: of tenkbench.
    """
    suites = list(dict.fromkeys(suite.suite for release in releases for suite in release.suites))
    front = yaml.safe_dump(
        _front_matter(releases, suites), sort_keys=False, allow_unicode=True, width=1_000_000
    )
    templates = Environment(
        loader=PackageLoader("tasks.results.publish", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; `_plain` escapes texts from files
    )
    body = templates.get_template("card.md.jinja").render(
        title=_title(suites),
        version=version,
        suites=suites,
        releases=releases,
        source_of=_source,
        settings_of=_settings,
        limits=[limit for suite in suites for limit in _limits_of(suite)],
        any_forms=any(of.n_cases > of.n_pairs for release in releases for of in release.suites),
        with_evidence=[f"`{suite}`" for suite in suites if has_evidence(suite)],
        with_traits=[f"`{suite}`" for suite in suites if has_traits(suite)],
        asks=[load_suite(suite).description for suite in suites],
        asked=dict.fromkeys(
            f"`{task}` {label.meaning}"
            for suite in suites
            for task, label in load_suite(suite).page.tasks.items()
        ),
        papers=[load_suite(suite).paper for suite in suites] + [_TENKBENCH.format(version=version)],
        may_change=[f"`{release.split}`" for release in releases if may_change(release.release)],
        any_by_rules=any(suite.is_by_rules for release in releases for suite in release.suites),
        any_of_samples=any(release.is_of_samples for release in releases),
        any_imported=any("dataset" in release.source for release in releases),
        any_from_edgar=any("edgar" in release.source for release in releases),
        any_filed=any(
            not release.is_of_samples and "dataset" not in release.source for release in releases
        ),
        any_generated=any(suite.roles for release in releases for suite in release.suites),
    )
    return f"---\n{front}---\n\n{body}"


def is_card(text: str) -> bool:
    """Return whether `card` wrote this README: its front matter has our tag."""
    front = text.split("---\n", 2)[1:2]
    return text.startswith("---\n") and f"- {_TAG}" in "".join(front).splitlines()


def _limits_of(suite: str) -> list[str]:
    """Read the bullets under "Limits" in a suite's README."""
    readme = files(SUITES[suite]).joinpath("README.md").read_text(encoding="utf-8")
    bullets = re.split("^- ", readme.partition("\n## Limits\n")[2], flags=re.MULTILINE)
    return [" ".join(bullet.split()) for bullet in bullets[1:]]


def _title(suites: Sequence[str]) -> str:
    return f"tenkbench: {', '.join(suites)} on SEC annual reports"


def _front_matter(releases: Sequence[ReleaseFacts], suites: Sequence[str]) -> dict[str, Any]:
    files = {
        suite: {
            release.split: of.file
            for release in releases
            for of in release.suites
            if of.suite == suite
        }
        for suite in suites
    }
    files["filings"] = {release.split: release.files[-1] for release in releases}
    n_cases = sum(of.n_cases for release in releases for of in release.suites)
    return {
        "pretty_name": _title(suites),
        "language": ["en"],
        "license": "other",
        "license_name": "see-the-section-licence-and-provenance",
        "task_categories": ["question-answering"],
        "size_categories": [next((size for most, size in _SIZES if n_cases < most), "n>1M")],
        "tags": ["finance", "sec", "10-k", "edgar", "long-context", "robustness", _TAG],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == suites[0] else {}),
                "data_files": [
                    {"split": split, "path": paths} for split, paths in by_split.items()
                ],
            }
            for name, by_split in files.items()
        ],
    }


def _source(release: ReleaseFacts) -> str:
    n_files = release.source.get("filings", {}).get("n_files")
    if "dataset" in release.source:
        return (
            f"the published data set `{_plain(release.source['dataset']['name'])}`, which names no "
            "filings."
        )
    if release.is_of_samples:
        return (
            f"{n_files} sample reports that come with tenkbench, of **invented companies**. They "
            "show how this works."
        )
    if "edgar" in release.source:
        asked = {name: value for name, value in release.source["edgar"].items() if value}
        said = "; ".join(f"{name} {_plain(_listed(value))}" for name, value in asked.items())
        return f"{n_files} reports from SEC EDGAR: {said}."
    return (
        f"{n_files} files of annual reports; their addresses on EDGAR are known where their "
        "accession numbers are."
    )


def _settings(suite: SuiteFacts) -> str:
    return ", ".join(f"{name} {_plain(_listed(value))}" for name, value in suite.parameters.items())


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {share}" for name, share in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _plain(text: str) -> str:
    """Escape a text for one line of Markdown.

    The result has no markup and no hidden characters.
    """
    return (
        visible(text)
        .replace("\n", " ")
        .replace("`", "'")
        .replace("|", "/")
        .replace("<", "(")
        .replace(">", ")")
    )
