"""`reports.explain`: a judgement's way down to its filing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tasks.core.rows import (
    Case,
    Citation,
    Context,
    Document,
    Filing,
    Item,
    Judgement,
    Prefix,
    QAPair,
    Request,
    Response,
)
from tests.sql.conftest import HandmadeLake

Asked = Callable[..., list[tuple]]
TEXT = "Item 1. Business\n\nWe sell hats.\n\nItem 7. Discussion\n\nRevenue was $5 million."
QUOTE = "Revenue was $5 million."


@pytest.fixture
def told(lake: HandmadeLake, answered: Callable[[Case], tuple[Request, Response]]) -> HandmadeLake:
    """Pair `a` of a real-looking filing with all its cases answered and judged; ocr is unscored."""
    lake.add_pair("a")
    (pair,) = lake.of(QAPair)
    citation = Citation(start_char=TEXT.index(QUOTE), end_char=len(TEXT), quote=QUOTE)
    lake.swap(pair, replace(pair, citations=(citation,), citation_text=QUOTE))
    items = (
        Item(item="1", title="Business", start_char=0, end_char=TEXT.index("Item 7")),
        Item(item="7", title="Discussion", start_char=TEXT.index("Item 7"), end_char=len(TEXT)),
    )
    lake.add(
        _filing(),
        Document(
            document_id="document",
            filing_id="0000320193-17-000070",
            text=TEXT,
            n_tokens=20,
            encoding="cl100k_base",
            items=items,
            paragraphs=(),
        ),
        suite=None,
    )
    lake.add(_context("context of a", "truncated"), _context("ocr of a", "ocr"))
    for case in lake.of(Case):
        if case.variant == "ocr":
            lake.swap(case, replace(case, context_id="ocr of a"))
    lake.judge("a", {case.variant: 5 for case in lake.of(Case)} | {"ocr": None})
    for case in lake.of(Case):
        request, response = answered(case)
        asked = replace(
            request, request_id=f"judge {case.case_id}", operation="judge", prefix_id="rubric"
        )
        lake.add(
            request, response, asked, replace(response, request_id=asked.request_id, text="[[5]]")
        )
    # a judge's prefix is recorded once for each model that it rates
    lake.add(_prefix("prefix"), _prefix("rubric"), _prefix("rubric"))
    for judgement in lake.of(Judgement):
        lake.swap(judgement, replace(judgement, judge_request_id=f"judge {judgement.case_id}"))
    return lake


def _filing() -> Filing:
    values: dict[str, Any] = dict.fromkeys(Filing.__dataclass_fields__) | {
        "filing_id": "0000320193-17-000070",
        "cik": "0000320193",
        "company": "Hats Inc.",
        "form": "10-K",
        "period_end": date(2017, 9, 30),
        "filed_date": date(2017, 11, 3),
        "format": "html",
        "source_uri": "hats.htm",
        "sha256": "0" * 64,
        "n_bytes": 1,
    }
    return Filing(**values)


def _context(name: str, kind: str) -> Context:
    return Context(
        context_id=name,
        document_ids=("document",),
        kind=kind,  # type: ignore[arg-type]
        text=TEXT,
        n_tokens=20,
        encoding="cl100k_base",
        start_char=0,
    )


def _prefix(name: str) -> Prefix:
    return Prefix(prefix_id=name, text=f"text of {name}", n_tokens=3)


def test_a_row_goes_down_to_the_item_the_filing_and_its_address(
    told: HandmadeLake, asked: Asked
) -> None:
    rows = asked("select variant, rating, is_compliant, unscored_reason from reports.explain")
    assert len(rows) == len(told.of(Judgement))
    assert ("ocr", None, None, "no verdict") in rows
    prompts = "prompt_prefix, prompt_suffix, judge_prompt_prefix, answer, finish_reason"
    (sent,) = asked(f"select {prompts} from reports.explain where variant = 'misspelled'")
    assert sent[:3] == ("text of prefix", "What was revenue?", "text of rubric")
    assert sent[3:] == ("$5 million", "stop")
    (row,) = asked(
        "select item, document_id, filing_id, company, cik, form, period_end, filed_date, "
        "edgar_url from reports.explain where variant = 'baseline'"
    )
    assert row == (
        "7",
        "document",
        "0000320193-17-000070",
        "Hats Inc.",
        "0000320193",
        "10-K",
        date(2017, 9, 30),
        date(2017, 11, 3),
        "https://www.sec.gov/Archives/edgar/data/320193/000032019317000070/0000320193-17-000070-index.htm",
    )


def test_a_verdict_of_rules_is_told_from_a_model_s(told: HandmadeLake, asked: Asked) -> None:
    def by_rule() -> dict[str, bool]:
        return dict(asked("select variant, is_by_rule from reports.explain"))

    for engine in ("openai", "extractive"):
        for response in told.of(Response):
            told.swap(response, replace(response, engine=engine))
        if engine == "openai":
            assert set(by_rule().values()) == {False}
    # `ocr` has no verdict
    assert by_rule() == {variant: variant != "ocr" for variant in by_rule()}
    for judgement in told.of(Judgement):
        told.swap(judgement, replace(judgement, judge_request_id=None))
    assert by_rule() == {variant: variant != "ocr" for variant in by_rule()}
