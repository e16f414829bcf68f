"""What a data set's card says of where its rows come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.results.publish.folder import ReleaseFacts, SuiteFacts, card

SUITE = SuiteFacts(
    suite="faith",
    n_pairs=1,
    n_cases=7,
    file="faith/2026Q3.parquet",
    parameters={},
    roles={},
    is_by_rules=False,
)


def card_of(source: dict[str, Any], *suites: SuiteFacts) -> str:
    release = ReleaseFacts(
        release="2026Q3",
        split="2026Q3",
        n_filings=1,
        files=("faith/2026Q3.parquet", "filings/2026Q3.parquet"),
        source=source,
        is_of_samples=False,
        sha256="0" * 64,
        suites=suites or (SUITE,),
    )
    return card([release], "1.0")


NEWS = replace(
    SUITE,
    suite="longcontext",
    file="longcontext/2026Q3.parquet",
    is_of_filings=False,
    parameters={"queries": 4, "seed": 17},
    roles={"panel": ("one", "two", "three")},
)
EDGAR = {"filings": {"n_files": 1}, "edgar": {"quarters": ["2026Q3"]}}
FILES = {"filings": {"n_files": 1}}


@pytest.mark.parametrize(
    ("source", "suites"),
    [
        pytest.param(EDGAR, [SUITE, NEWS], id="two suites, from EDGAR"),
        pytest.param({"dataset": {"name": "rows.jsonl"}}, [SUITE], id="published data"),
    ],
)
def test_the_card(
    source: dict[str, Any], suites: list[SuiteFacts], snapshot: SnapshotAssertion
) -> None:
    assert card_of(source, *suites) == snapshot
