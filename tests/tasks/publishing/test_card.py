"""What a data set's card says of where its rows come from."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.publishing.card import card
from tasks.publishing.facts import ReleaseFacts, SuiteFacts

SUITE = SuiteFacts(
    suite="failsafeqa",
    n_pairs=1,
    n_cases=7,
    files=("failsafeqa/2026Q3-00000-of-00001.parquet",),
    parameters={},
    generator=None,
    is_by_rules=False,
    citer=None,
    models=(),
    judges=(),
    rejects=(),
)


def card_of(source: dict[str, Any]) -> str:
    release = ReleaseFacts(
        release="2026Q3",
        split="2026Q3",
        n_filings=1,
        filings_file="filings/2026Q3.parquet",
        source=source,
        is_of_samples=False,
        code="0123456789ab",
        sha256="0" * 64,
        suites=(SUITE,),
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
