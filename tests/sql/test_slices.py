"""Slices: which cases lie in which, on lakes with known filings."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tasks.schemas import Context, Document, Filing, QAPair

ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
UNANSWERABLE = ("missing_context", "irrelevant_context")
EVERY = ANSWERABLE + UNANSWERABLE

FILING = Filing(
    filing_id="",
    cik=None,
    company=None,
    sic="2080",
    form="10-K",
    period_end=date(2019, 12, 31),
    filed_date=date(2020, 2, 14),
    format="ixbrl",
    source_uri="",
    sha256="",
    n_bytes=1,
)


def add_pair_of_filing(
    lake: Any, name: str, *, task: str = "qa", n_tokens: int = 20_000, **filing: Any
) -> None:
    """A pair whose context is the whole of a filing of its own."""
    lake.add_pair(name, task=task)
    lake.add(replace(FILING, filing_id=f"filing of {name}", **filing), suite=None)
    lake.add(
        Document(
            document_id=f"document of {name}",
            filing_id=f"filing of {name}",
            text="",
            n_tokens=n_tokens,
            encoding="cl100k_base",
            items=(),
            paragraphs=(),
        ),
        suite=None,
    )
    lake.add(
        Context(
            context_id=f"context of {name}",
            document_id=f"document of {name}",
            kind="truncated",
            text="",
            n_tokens=n_tokens,
            encoding="cl100k_base",
            start_char=0,
            details="{}",
        )
    )


def slices_of(asked: Any, case_id: str) -> set[str]:
    rows = asked(f"select slice from staging.case_slices where case_id = '{case_id}'")
    found = {slice_ for (slice_,) in rows}
    assert len(found) == len(rows), "a case lies in a slice twice"
    return found


def test_a_case_lies_in_the_slices_of_its_pair_and_in_those_of_its_perturbation(lake, asked) -> None:
    add_pair_of_filing(lake, "p", task="tg")
    lake.judge("p", dict.fromkeys(EVERY, 5))
    lake.judge("p", dict.fromkeys(EVERY, 5), judge="another")
    assert slices_of(asked, "p.ocr") == {
        "overall",
        "perturbation=ocr",
        "perturbation=ocr,task=tg",
        "task=tg",
        "fiscal_year=2019",
        "format=ixbrl",
        "sector=manufacturing",
        "context_tokens=16k to 24k",
    }


def test_cases_that_nobody_has_judged_lie_in_no_slice(lake, asked) -> None:
    add_pair_of_filing(lake, "p")
    lake.judge("p", {"ocr": 5})
    assert asked("select distinct case_id from staging.case_slices") == [("p.ocr",)]


@pytest.mark.parametrize(
    ("n_tokens", "band"),
    [
        (1, "below 8k"),
        (7_999, "below 8k"),
        (8_000, "8k to 16k"),
        (23_999, "16k to 24k"),
        (24_000, "24k and more"),
    ],
)
def test_bands_of_a_context_s_length(lake, asked, n_tokens, band) -> None:
    add_pair_of_filing(lake, "p", n_tokens=n_tokens)
    lake.judge("p", {"ocr": 5})
    assert f"context_tokens={band}" in slices_of(asked, "p.ocr")


def test_what_a_filing_does_not_say_is_unknown(lake, asked) -> None:
    add_pair_of_filing(lake, "p", period_end=None)
    lake.judge("p", {"ocr": 5})
    assert "fiscal_year=unknown" in slices_of(asked, "p.ocr")


def test_a_published_dataset_has_no_slices_of_filings(lake, asked) -> None:
    add_pair_of_filing(lake, "p", form="dataset", format="text", period_end=None, filed_date=None)
    lake.judge("p", {"ocr": 5})
    assert slices_of(asked, "p.ocr") == {
        "overall",
        "perturbation=ocr",
        "perturbation=ocr,task=qa",
        "task=qa",
        "context_tokens=16k to 24k",
    }


def test_pairs_without_a_filing_keep_their_own_slices(lake, asked) -> None:
    lake.add_pair("p")
    lake.judge("p", {"ocr": 5})
    assert slices_of(asked, "p.ocr") == {"overall", "perturbation=ocr", "perturbation=ocr,task=qa", "task=qa"}
    assert len(lake.of(QAPair)) == 1
