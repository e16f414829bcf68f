"""What a data set's card says of where its rows come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tasks.results.publish.card import card
from tasks.results.publish.facts import ReleaseFacts, SuiteFacts

SUITE = SuiteFacts(
    suite="failsafeqa",
    n_pairs=1,
    n_cases=7,
    files=("failsafeqa/2026Q3-00000-of-00001.parquet",),
    parameters={},
    roles={},
    is_by_rules=False,
    models=(),
    judges=(),
    rejects=(),
)


def card_of(source: dict[str, Any], *suites: SuiteFacts) -> str:
    release = ReleaseFacts(
        release="2026Q3",
        split="2026Q3",
        n_filings=1,
        filings_file="filings/2026Q3.parquet",
        source=source,
        is_of_samples=False,
        code="0123456789ab",
        sha256="0" * 64,
        suites=suites or (SUITE,),
    )
    return card([release], "1.0")


@pytest.mark.parametrize(
    ("source", "is_from_edgar"),
    [
        ({"filings": {"n_files": 1}, "edgar": {"quarters": ["2026Q3"]}}, True),
        ({"filings": {"n_files": 1}}, False),
        ({"dataset": {"name": "rows.jsonl"}}, False),
    ],
)
def test_the_bytes_behind_a_hash_are_told_so_that_it_can_be_checked(
    source: dict[str, Any], is_from_edgar: bool
) -> None:
    said = card_of(source)
    assert ("of a submission on EDGAR up to the end of its main document" in said) == is_from_edgar
    assert ("SOURCE_URI | head -c FILING_BYTES | sha256sum" in said) == is_from_edgar
    assert "SHA-256 of the bytes that were read." not in said


MASKED = replace(
    SUITE,
    suite="faith",
    parameters={"pairs": 4, "seed": 17},
    roles={"panel": ("one", "two", "three")},
    models=("m",),
    judges=("official", "strict"),
)


def test_a_card_says_what_its_suites_ask_for() -> None:
    filings = {"filings": {"n_files": 1}}
    ours, masked = (
        "`qa` an answer, `tg` a text to be written",
        "`mask` a figure hidden in a text",
    )
    assert f"| what is asked for: {ours} |" in card_of(filings)
    assert f"| what is asked for: {masked} |" in card_of(filings, MASKED)
    assert f"| what is asked for: {ours}, {masked} |" in card_of(filings, SUITE, MASKED)


def test_a_card_of_hidden_figures_says_what_decided_on_them_and_nothing_of_perturbations() -> None:
    said = card_of({"filings": {"n_files": 1}}, MASKED)
    assert "panel **one, two, three**" in said
    assert "answers of m were judged by official, strict" in said
    assert "of `faith` in the whole report as tenkbench reads it" in said
    assert "| `evidence` | of `faith`" in said
    assert "A proof may be right by accident" in said
    for foreign in ("under several perturbations", "Scanned copies", "cut to a number of tokens"):
        assert foreign not in said


def test_a_card_of_perturbed_questions_says_nothing_of_proofs() -> None:
    said = card_of({"filings": {"n_files": 1}})
    assert "under several perturbations" in said
    assert "Scanned copies are simulated" in said
    for foreign in ("`evidence`", "`traits`", "`mask`", "panel"):
        assert foreign not in said
