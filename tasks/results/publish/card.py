"""The data set card: a README with Hugging Face front matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.lake.lake import may_change
from tasks.suites.registry import SUITES, load_suite
from tasks.text.visible import visible

_TAG = "tenkbench"  # identifies our cards


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """A suite's cases in one release."""

    suite: str
    n_pairs: int
    n_cases: int
    file: str  # below the data set's folder
    parameters: Mapping[str, Any]  # of build; empty for cases from a published file
    roles: Mapping[str, tuple[str, ...]]  # models that built it, by role; none for a published file
    is_by_rules: bool  # whether the weightless rules played one of them
    own_prompts: str = ""  # the sentence of `own_prompts_note`
    is_of_filings: bool = True  # whether texts are of filings, not of another source


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """One release: a split of the data set."""

    release: str
    split: str
    n_filings: int
    files: tuple[str, ...]  # each suite's, then that of filings
    source: Mapping[str, Any]  # from the identity of ingest
    is_of_samples: bool  # whether its companies are invented
    sha256: str  # of its files concatenated
    suites: tuple[SuiteFacts, ...]

    @property
    def kind(self) -> str:
        """Where its cases come from: dataset, samples, edgar or files."""
        if "dataset" in self.source:
            return "dataset"
        if self.is_of_samples:
            return "samples"
        return "edgar" if "edgar" in self.source else "files"

    @property
    def may_change(self) -> bool:
        """Whether the release may be made anew under its name."""
        return may_change(self.release)


def card(releases: Sequence[ReleaseFacts], version: str) -> str:
    """Write the README of a data set, of at least one suite a release: front matter and text."""
    of_suites = [suite for release in releases for suite in release.suites]
    names = list(dict.fromkeys(suite.suite for suite in of_suites))
    suites = [load_suite(name) for name in names]
    templates = Environment(
        loader=PackageLoader("tasks.results.publish", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; `plain` escapes texts from files
    )
    templates.filters |= {"plain": _plain, "count": lambda n: f"{n:,}"}
    return templates.get_template("card.md.jinja").render(
        title=f"tenkbench: {', '.join(names)} on financial documents",
        tag=_TAG,
        version=version,
        suites=suites,
        tasks={task: of.meaning for suite in suites for task, of in suite.page.tasks.items()},
        releases=releases,
        of_suites=of_suites,
        limits=[limit for name in names for limit in _limits_of(name)],
        kinds={release.kind for release in releases},
    )


def is_card(text: str) -> bool:
    """Return whether `card` wrote this README: its front matter has our tag."""
    front = text.split("---\n", 2)[1:2]
    return text.startswith("---\n") and f"- {_TAG}" in "".join(front).splitlines()


def _limits_of(suite: str) -> list[str]:
    """Read the bullets under "Limits" in a suite's README."""
    readme = files(SUITES[suite]).joinpath("README.md").read_text(encoding="utf-8")
    bullets = readme.partition("\n## Limits\n")[2].split("\n- ")
    return [" ".join(bullet.split()) for bullet in bullets[1:]]


def _plain(value: Any) -> str:
    """Write a setting in one line of Markdown, without markup and hidden characters."""
    if isinstance(value, dict):
        value = [f"{name} {share}" for name, share in value.items()]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return visible(text).translate(str.maketrans("\n`|<>", " '/()"))
