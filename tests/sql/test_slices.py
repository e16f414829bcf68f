"""Slices: which cases lie in which, on lakes with known filings."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tasks.core.rows import Citation, Context, Document, Filing, QAPair, slice_name
from tasks.warehouse.judged_models import JudgedModel
from tests.filled import filled
from tests.sql.conftest import ANSWERABLE, PERTURBATIONS, UNANSWERABLE


def add_pair_of_filing(
    lake: Any, name: str, *, task: str = "qa", n_tokens: int = 20_000, **changes: Any
) -> None:
    """A pair whose context is the whole of a filing of its own."""
    lake.add_pair(name, task=task)
    dates = {"period_end": date(2019, 12, 31), "filed_date": date(2020, 2, 14)}
    known = {"sic": "2080", "form": "10-K", "format": "ixbrl", **dates, **changes}
    filing = {"filing_id": f"filing of {name}"}
    document = f"document of {name}"
    lake.add(
        filled(Filing, **filing, **known),
        filled(Document, document_id=document, **filing, n_tokens=n_tokens),
        suite=None,
    )
    of = {"context_id": f"context of {name}", "document_ids": (document,)}
    lake.add(filled(Context, **of, kind="truncated", n_tokens=n_tokens))


def slices_of(asked: Any, case_id: str) -> set[str]:
    rows = asked(
        "select distinct slice_by, slice_value from staging.cell_units "
        f"where metric = 'compliance' and case_ids[1] = '{case_id}'"
    )
    return {slice_name(*row) for row in rows}


def test_a_case_lies_in_the_slices_of_its_pair_and_in_those_of_its_perturbation(
    lake, asked
) -> None:
    add_pair_of_filing(lake, "p", task="tg")
    lake.judge("p", dict.fromkeys(PERTURBATIONS, 5))
    lake.judge("p", dict.fromkeys(PERTURBATIONS, 5), judge="another")
    assert slices_of(asked, "p.ocr") == {
        "overall",
        "variant=ocr",
        "variant=ocr,task=tg",
        "task=tg",
        "fiscal_year=2019",
        "format=ixbrl",
        "sector=manufacturing",
        "context_tokens=16k to 24k",
    }


def cited_at(lake: Any, *starts: int) -> None:
    """Add a pair cited at these characters of the document, in a context of 90."""
    add_pair_of_filing(lake, "p")
    cited = tuple(Citation(start_char=start, end_char=start + 1, quote="") for start in starts)
    lake.change(lake.only(QAPair), citations=cited)
    lake.change(lake.only(Context), details='{"n_chars": 90}')
    lake.judge("p", dict.fromkeys(PERTURBATIONS, 5))


def positions(asked: Any, case_id: str = "p.ocr") -> list[str]:
    return sorted(
        slice_ for slice_ in slices_of(asked, case_id) if slice_.startswith("answer_position=")
    )


@pytest.mark.parametrize(
    ("starts", "third"),
    [
        ((29,), "first"),
        ((30,), "middle"),
        ((80, 59), "middle"),  # the first of the citations, whatever their order
        ((60,), "last"),
    ],
)
def test_where_the_answer_stands_in_its_context(lake, asked, starts, third) -> None:
    cited_at(lake, *starts)
    assert positions(asked) == [f"answer_position={third} third"]


def test_what_the_context_cannot_answer_has_no_place_of_its_answer(lake, asked) -> None:
    cited_at(lake, 0)
    assert positions(asked, "p.missing_context") == []
    found = asked(
        "select metric, n from failsafeqa.metrics "
        "where slice_by = 'answer_position' and slice_value = 'first third'"
    )
    assert sorted(found) == [("compliance", 5), ("robustness", 1)]


def test_a_filing_is_before_or_after_the_stated_cutoff_of_a_model(lake, asked) -> None:
    for name, day in (
        ("early", date(2020, 2, 13)),
        ("same", date(2020, 2, 14)),
        ("late", date(2020, 2, 15)),
    ):
        add_pair_of_filing(lake, name, filed_date=day)
    add_pair_of_filing(lake, "undated", filed_date=None)
    for name in ("early", "same", "late", "undated"):
        for model, rating in (("dated", 5), ("younger", 1), ("silent", 5)):
            lake.judge(name, {"ocr": rating}, model=model)
    models = [
        JudgedModel("dev", "failsafeqa", "dated", date(2020, 2, 14)),
        JudgedModel("dev", "failsafeqa", "younger", date(2021, 1, 1)),
        # of another release, of another suite
        JudgedModel("2026.11", "failsafeqa", "silent", date(2020, 2, 14)),
        JudgedModel("dev", "faith", "younger", date(2020, 2, 14)),
    ]
    query = (
        "select model, slice_value, n, value from failsafeqa.metrics "
        "where metric = 'compliance' and slice_by = 'filed'"
    )
    assert sorted(asked(query, models=models)) == [
        ("dated", "after cutoff", 1, 1.0),
        ("dated", "before cutoff", 2, 1.0),
        ("younger", "before cutoff", 3, 0.0),
    ]
    cases = (
        "select unit_id, model from staging.cell_units "
        "where metric = 'compliance' and slice_by = 'filed' and slice_value = 'after cutoff'"
    )
    assert asked(cases, models=models) == [("late.ocr", "dated")]


def test_metrics_of_slices_on_a_lake_with_known_answers(lake, asked) -> None:
    # per filing: its year, its sector, and the rating of all answers and of all refusals
    filings = {
        "a": (2019, "2080", 5, 5),
        "b": (2019, "6189", 1, 5),
        "c": (2020, "2080", 5, 1),
        "d": (2020, "2080", 5, None),
    }
    for name, (year, sic, answers, refusals) in filings.items():
        add_pair_of_filing(lake, name, period_end=date(year, 12, 31), sic=sic)
        lake.judge(name, dict.fromkeys(ANSWERABLE, answers) | dict.fromkeys(UNANSWERABLE, refusals))
    rows = asked(
        """select slice_by, slice_value, metric, n, n_unscored, value, worst, best
        from failsafeqa.metrics where slice_by in ('fiscal_year', 'sector')"""
    )
    found = {
        (slice_name(slice_by, value), metric): pytest.approx(tuple(rest))
        for slice_by, value, metric, *rest in rows
    }

    def llmc(grounding: float) -> float:
        """LLM Compliance of a model that is robust in all."""
        return 1.25 * grounding / (0.25 * grounding + 1)

    both = 1.25 * 0.5 / (0.25 + 0.5)  # LLM Compliance of R = 0.5 and G = 1
    assert found == {
        ("fiscal_year=2019", "compliance"): (14, 0, 9 / 14, 9 / 14, 9 / 14),
        ("fiscal_year=2019", "robustness"): (2, 0, 0.5, 0.5, 0.5),
        ("fiscal_year=2019", "context_grounding"): (4, 0, 1.0, 1.0, 1.0),
        ("fiscal_year=2019", "llmc"): (2, 0, *[both] * 3),
        ("fiscal_year=2020", "compliance"): (12, 2, 10 / 12, 10 / 14, 12 / 14),
        ("fiscal_year=2020", "robustness"): (2, 0, 1.0, 1.0, 1.0),
        ("fiscal_year=2020", "context_grounding"): (2, 2, 0.0, 0.0, 0.5),
        ("fiscal_year=2020", "llmc"): (2, 2, 0.0, 0.0, llmc(0.5)),
        ("sector=manufacturing", "compliance"): (19, 2, 17 / 19, 17 / 21, 19 / 21),
        ("sector=manufacturing", "robustness"): (3, 0, 1.0, 1.0, 1.0),
        ("sector=manufacturing", "context_grounding"): (4, 2, 0.5, 2 / 6, 4 / 6),
        ("sector=manufacturing", "llmc"): (3, 2, llmc(1 / 2), llmc(1 / 3), llmc(2 / 3)),
        ("sector=finance", "compliance"): (7, 0, 2 / 7, 2 / 7, 2 / 7),
        ("sector=finance", "robustness"): (1, 0, 0.0, 0.0, 0.0),
        ("sector=finance", "context_grounding"): (2, 0, 1.0, 1.0, 1.0),
        ("sector=finance", "llmc"): (1, 0, 0.0, 0.0, 0.0),
    }
