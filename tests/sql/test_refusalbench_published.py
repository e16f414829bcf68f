"""What is said to be printed in RefusalBench's paper stands in its text."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.suites.refusalbench.strata import CLASSES, INTENSITIES, SETTINGS

RELATIONS = {"published": 100, "published_models": 23}


def rows_of(name: str) -> list[dict[str, Any]]:
    text = (files("sql") / "refusalbench" / f"{name}.sql").read_text(encoding="utf-8")
    found = duckdb.sql(text)
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.fixture(scope="module")
def paper(shared: Path) -> str:
    (file,) = (shared / "papers").glob("003_*.txt")
    return file.read_text(encoding="utf-8")


def section(paper: str, source: str) -> str:
    """Return the text of a section or appendix."""
    if source == "abstract":
        return paper[: paper.index("1 Introduction")]
    kind, name = source.split()
    heading = f"Appendix {name}" if kind == "appendix" and "." not in name else name
    start = re.search(rf"^{re.escape(heading)}\s", paper, re.MULTILINE)
    assert start, source
    part = r"^(?:Appendix [A-Z] |[A-J]\.\d+ |\d \D|\d\.\d )"
    end = re.compile(part, re.MULTILINE).search(paper, start.end())
    return paper[start.start() : end.start() if end else None]


def spellings(value: float) -> set[str]:
    """Spell a figure as a share, a percentage or a count."""
    value = abs(value)
    digits = {f"{value:g}", f"{value:.1f}", f"{value:.2f}", f"{value:.3f}"}
    percent = {f"{100 * value:.{places}f}" for places in range(3)}
    exact = {each for each in percent if float(each) == pytest.approx(100 * value)}
    return {each for each in digits if float(each) == pytest.approx(value)} | exact


@pytest.mark.parametrize("name", RELATIONS)
def test_every_figure_stands_in_the_place_that_its_row_names(name: str, paper: str) -> None:
    rows = rows_of(name)
    assert len(rows) == RELATIONS[name]
    for row in rows:
        text = paper if row["source"].startswith("table") else section(paper, row["source"])
        for column, value in row.items():
            if isinstance(value, float):
                numbers = set(re.findall(r"\d+(?:\.\d+)?", text))
                assert spellings(value) & numbers, (name, row)
            elif column in ("identifier", "model") and name == "published_models":
                assert value in text, (name, row)


@pytest.mark.parametrize("name", RELATIONS)
def test_no_figure_is_stated_twice(name: str) -> None:
    keys = [tuple(v for k, v in row.items() if k != "value") for row in rows_of(name)]
    assert len(keys) == len(set(keys))


def test_figures_are_of_our_settings_classes_and_intensities() -> None:
    known: dict[str, set[str]] = {
        "perturbation_class": {*CLASSES, "all", "all but missing_info"},
        "intensity": set(INTENSITIES),
    }
    for row in rows_of("published"):
        assert row["setting"] in (None, *SETTINGS)
        assert row["slice_value"] in known.get(row["slice_by"], {row["slice_value"]}), row
