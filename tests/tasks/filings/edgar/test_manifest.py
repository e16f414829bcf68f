"""Records of EDGAR in the lake: round trips and damage."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tasks.filings.edgar.index import BrokenLine, IndexLine
from tasks.filings.edgar.manifest import Choice, ChosenFiling, keep_choice, kept_choice
from tasks.filings.edgar.query import EdgarQuery, parse_query
from tasks.lake.objects import LakeError, Objects, open_objects

ACCESSION = "0000000001-18-000001"
LINE = IndexLine("1", "A CORP", "10-K", date(2018, 2, 1), f"edgar/data/1/{ACCESSION}.txt")
EARLIER = {"new_only": {"2017Q4": "content"}}


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects(str(tmp_path / "lake"))


@pytest.fixture
def query() -> EdgarQuery:
    return parse_query("edgar:2018Q1", forms="10-K,10-K405", seed=17)


@pytest.fixture
def choice(query: EdgarQuery) -> Choice:
    return Choice(
        asked=query.identity,
        indexes={"2018Q1": "a" * 64},
        broken=(("2018Q1", BrokenLine(14, "torn", "1 columns in place of 5")),),
        filings=(ChosenFiling(line=LINE, sha256="b" * 64),),
        left_out=((LINE, "2017Q4"),),
        absent=("KO",),
    )


def test_keeps_a_choice_per_query_and_left_out_releases(
    objects: Objects, query: EdgarQuery, choice: Choice
) -> None:
    keep_choice(objects, "dev", query, EARLIER, choice)
    assert kept_choice(objects, "dev", query, EARLIER) == choice
    assert kept_choice(objects, "dev", query, {}) is None
    assert kept_choice(objects, "2018Q1", query, EARLIER) is None


@pytest.mark.parametrize("damaged", [b"", b"[1]", b'{"asked": {}, "indexes"', b'{"asked": {}}'])
def test_names_a_damaged_choice_and_says_what_to_do(
    objects: Objects, query: EdgarQuery, choice: Choice, damaged: bytes
) -> None:
    keep_choice(objects, "dev", query, {}, choice)
    (stored,) = objects.list("_edgar/release=dev")
    objects.put(stored.key, damaged)
    with pytest.raises(
        LakeError, match=f"{stored.key} in .* is damaged .* Delete it and run"
    ) as told:
        kept_choice(objects, "dev", query, {})
    assert objects.url in str(told.value)
