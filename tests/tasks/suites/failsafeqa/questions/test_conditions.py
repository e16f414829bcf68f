"""Queries that the paper prints pass the conditions that ours have to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tasks.suites.failsafeqa.perturbations.rewriting import INCOMPLETE, OUT_OF_DOMAIN
from tasks.suites.failsafeqa.questions.conditions import fault_of

TEXTS = ("Turn ", "Create ", "Generate ")  # how its requests for a text begin


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[str, list[tuple[str, str]]]:
    """Originals with their perturbed queries: of four tables and two sentences of paper 000."""
    (paper,) = (shared / "papers").glob("000_*.txt")
    text = re.sub(r"\\(?:good|bad)box\{([^{}]*)\}", r"\1", paper.read_text(encoding="utf-8"))
    queries: dict[str, list[tuple[str, str]]] = {}
    for name, table in re.findall(r"Perturbation\} ([\w-]+)(.*?)end\{tabular\}", text, re.DOTALL):
        rows = [row.split(r"\\")[0].split("&")[-2:] for row in table.split("midrule")[1:]]
        cells = ([" ".join(cell.replace("%", "").split()) for cell in row] for row in rows)
        queries[name] = [(original, perturbed) for original, perturbed in cells]
    for name, between in (("Incomplete", "is transformed into"), ("Out-of-Domain", "should be")):
        queries[name] += re.findall(rf'"([^"]+)" {between}[\w ]* "([^"]+)"', text)
    return queries


def test_the_papers_queries_may_be_asked(printed: dict[str, list[tuple[str, str]]]) -> None:
    originals = [original for pairs in printed.values() for original, _ in pairs]
    faults = {
        query: fault_of(query, "", "tg" if query.startswith(TEXTS) else "qa") for query in originals
    }
    assert len(faults) == 18
    assert set(faults.values()) == {None}


@pytest.mark.parametrize(
    ("name", "how"), [("Incomplete", INCOMPLETE), ("Out-of-Domain", OUT_OF_DOMAIN)]
)
def test_the_papers_rewritings_may_replace_their_originals(printed, name, how) -> None:
    assert [how.fault_of(*pair) for pair in printed[name]] == [""] * 5
