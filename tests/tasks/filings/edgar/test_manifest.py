"""What the lake keeps of EDGAR: as it was kept, and damaged."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tasks.core.settings import RunSettings
from tasks.filings.edgar.index import BrokenLine, IndexLine
from tasks.filings.edgar.manifest import (
    Choice,
    ChosenFiling,
    Known,
    keep_choice,
    keep_known,
    kept_choice,
    known_of,
)
from tasks.filings.edgar.query import Asked, read_asked
from tasks.lake.objects import LakeError, Objects, open_objects

ACCESSION = "0000000001-18-000001"
LINE = IndexLine("1", "A CORP", "10-K", date(2018, 2, 1), f"edgar/data/1/{ACCESSION}.txt")
EARLIER = {"new_only": {"2017Q4": "content"}}


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects(str(tmp_path / "lake"))


@pytest.fixture
def asked() -> Asked:
    return read_asked(RunSettings(filings="edgar:2018Q1"))


@pytest.fixture
def choice(asked: Asked) -> Choice:
    return Choice(
        asked=asked.identity,
        indexes={"2018Q1": "a" * 64},
        broken=(("2018Q1", BrokenLine(14, "torn", "1 columns in place of 5")),),
        filings=(ChosenFiling(line=LINE, sha256="b" * 64, n_bytes=5),),
        left_out=((LINE, "2017Q4"),),
        absent=("KO",),
    )


def test_a_choice_is_kept_for_what_was_asked_and_left_out(
    objects: Objects, asked: Asked, choice: Choice
) -> None:
    keep_choice(objects, "dev", asked, EARLIER, choice)
    assert kept_choice(objects, "dev", asked, EARLIER) == choice
    assert kept_choice(objects, "dev", asked, {}) is None
    assert kept_choice(objects, "2018Q1", asked, EARLIER) is None


@pytest.mark.parametrize("damaged", [b"", b"[1]", b'{"asked": {}, "indexes"', b'{"asked": {}}'])
def test_a_choice_that_is_damaged_is_named_with_what_to_do(
    objects: Objects, asked: Asked, choice: Choice, damaged: bytes
) -> None:
    keep_choice(objects, "dev", asked, {}, choice)
    (stored,) = objects.list("_edgar/release=dev")
    objects.put(stored.key, damaged)
    with pytest.raises(LakeError, match=f"{stored.key} in .* is damaged .*; delete it and run") as told:
        kept_choice(objects, "dev", asked, {})
    assert objects.url in str(told.value)


@pytest.mark.parametrize("damaged", [b"", b'{"sic": "20', b"[1]", b'{"other": 1}'])
def test_a_damaged_record_of_a_filing_is_none(objects: Objects, damaged: bytes) -> None:
    known = Known(sic="2080", sha256="b" * 64, n_bytes=5)
    keep_known(objects, ACCESSION, known)
    assert known_of(objects, ACCESSION) == known
    objects.put(f"_edgar/filings/{ACCESSION}.json", damaged)
    assert known_of(objects, ACCESSION) is None
