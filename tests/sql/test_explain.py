"""`reports.explain`: a judgement's way down to its filing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tasks.core.rows import Document, Filing, Judgement, Prefix, Request, Response
from tests.sql.conftest import HandmadeLake
from tests.sql.sound_lake import fill

Asked = Callable[..., list[tuple]]
OF_EDGAR: dict[str, Any] = {
    "filing_id": "0000320193-17-000070",
    "cik": "0000320193",
    "company": "Hats Inc.",
    "period_end": date(2017, 9, 30),
    "filed_date": date(2017, 11, 3),
}


@pytest.fixture
def judged(lake: HandmadeLake) -> HandmadeLake:
    """The sound lake with the address of its filing on EDGAR; its answers are judged by calls."""
    fill(lake)
    lake.change(lake.only(Filing), **OF_EDGAR)
    lake.change(lake.only(Document), filing_id=OF_EDGAR["filing_id"])
    lake.add(Prefix(prefix_id="rubric", text="Rate this.", n_tokens=2))
    for judgement in lake.of(Judgement):
        name = f"judge {judgement.judgement_id}"
        answered = {"request_id": judgement.request_id}
        request, response = lake.only(Request, **answered), lake.only(Response, **answered)
        lake.add(
            replace(request, request_id=name, operation="judge", prefix_id="rubric"),
            replace(response, request_id=name, text="[[5]]"),
        )
        lake.change(judgement, judge_request_id=name)
    return lake


def test_a_row_goes_down_to_the_item_the_filing_and_its_address(
    judged: HandmadeLake, asked: Asked
) -> None:
    rows = asked("select variant, rating, is_compliant, unscored_reason from reports.explain")
    assert len(rows) == sum(not row.repeat for row in judged.of(Judgement))
    assert ("ocr", None, None, "no verdict") in rows
    prompts = "prompt_prefix, prompt_suffix, judge_prompt_prefix, answer, finish_reason"
    (sent,) = asked(f"select {prompts} from reports.explain where variant = 'misspelled'")
    assert sent[:3] == ("Answer.", "What 😀😀😀 wsa revneue?", "Rate this.")
    assert sent[3:] == ("$5 million", "stop")
    (row,) = asked(
        "select item, document_id, filing_id, company, cik, form, period_end, filed_date, "
        "edgar_url from reports.explain where variant = 'baseline'"
    )
    assert row == (
        "1",
        "document",
        "0000320193-17-000070",
        "Hats Inc.",
        "0000320193",
        "10-K",
        date(2017, 9, 30),
        date(2017, 11, 3),
        "https://www.sec.gov/Archives/edgar/data/320193/000032019317000070/0000320193-17-000070-index.htm",
    )


def test_a_verdict_of_rules_is_told_from_a_model_s(judged: HandmadeLake, asked: Asked) -> None:
    def by_rule() -> dict[str, bool]:
        return dict(asked("select variant, is_by_rule from reports.explain"))

    for engine in ("openai", "extractive"):
        for response in judged.of(Response):
            judged.change(response, engine=engine)
        if engine == "openai":
            assert set(by_rule().values()) == {False}
    # `ocr` has no verdict
    assert by_rule() == {variant: variant != "ocr" for variant in by_rule()}
    for judgement in judged.of(Judgement):
        judged.change(judgement, judge_request_id=None)
    assert by_rule() == {variant: variant != "ocr" for variant in by_rule()}
