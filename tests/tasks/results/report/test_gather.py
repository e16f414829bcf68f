"""What the page takes from the warehouse: all of a small release, a bounded part of a large one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.results.report import gather as gathering
from tasks.results.report.cases import case_data
from tasks.results.report.contents import sections
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured, Reports
from tasks.suites.registry import load_suite
from tests.invented_lake import RELEASE, SUITE
from tests.sql.conftest import HandmadeLake
from tests.sql.tables_asked import add_case, add_verdict, scored

QUESTIONS, FORMS, MODELS = 32, 7, 3


def is_failed(case: dict[str, Any]) -> bool:
    return any(answer["is_good"] is False for answer in case["answers"])


def part_of(warehouse: Any, monkeypatch: pytest.MonkeyPatch, n_questions: int) -> Reports:
    monkeypatch.setattr(gathering, "MOST_ANSWERS", n_questions * FORMS * (MODELS + 4))
    return gather(warehouse, load_suite(SUITE), RELEASE, ["judge-72b"], {})


def test_a_page_of_too_many_cases_holds_whole_questions_and_says_so(
    warehouse: Any, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = part_of(warehouse, monkeypatch, 10)
    cases = few["reports.explain"]
    pair_ids = {case["qa_pair_id"] for case in cases}
    assert (len(pair_ids), len(cases)) == (10, 10 * FORMS)
    assert part_of(warehouse, monkeypatch, 10)["reports.explain"] == cases
    about = {"judges": [measured.judge], "parameters": measured.parameters}
    part = measured_of(few, measured.suite, RELEASE, **about)
    assert part.n_shown == (10 * FORMS, QUESTIONS * FORMS)
    assert "Every answer" not in [section.title for section in sections(part)]
    assert len(case_data(part)[1]) == 10
    assert part.estimates == measured.estimates  # figures are of all cases


def test_questions_that_a_model_failed_come_first(
    warehouse: Any, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = {case["qa_pair_id"] for case in reports["reports.explain"] if is_failed(case)}
    assert failed
    for n in (len(failed) // 2, len(failed)):
        some = part_of(warehouse, monkeypatch, n)["reports.explain"]
        assert {case["qa_pair_id"] for case in some} <= failed
    if len(failed) < QUESTIONS:
        some = part_of(warehouse, monkeypatch, len(failed) + 1)["reports.explain"]
        assert failed < {case["qa_pair_id"] for case in some}


def test_verdicts_of_other_judges_stand_beside_the_answers(tmp_path: Path) -> None:
    """Those of two answers do not, nor do cases that the page's judge was not given."""
    lake = HandmadeLake(tmp_path)
    for name in ("both", "ours", "theirs"):
        add_case(lake, name, "easy")
    for name in ("both", "ours"):
        add_verdict(lake, name, "reference", label="correct", details={"is_number": True})
    add_verdict(lake, "both", "accuracy=x", label="wrong", rationale="It is another figure.")
    add_verdict(lake, "theirs", "accuracy=x", label="correct")
    add_verdict(lake, "both", "pairwise=x", "m", "base", label="won")
    judges = ["reference", "pairwise=x", "accuracy=x"]
    with scored(lake) as warehouse:
        rows = gather(warehouse, load_suite("tablequest"), "dev", judges, {"baseline": "base"})
    said = {case["case_id"]: case["others"] for case in rows["reports.explain"]}
    other = {"model": "m", "judge": "accuracy=x", "is_good": False, "verdict": "wrong"}
    assert said == {"both": [other | {"said": "It is another figure."}], "ours": None}
