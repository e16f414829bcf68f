"""RefusalBench's page: every chart of its sections is drawn, and a case shows how it was made."""

from __future__ import annotations

import pytest

from tasks.results.report.cases import case_data
from tasks.results.report.contents import sections
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured
from tasks.suites.refusalbench.page import PAGE
from tasks.suites.registry import load_suite
from tests.refusals import Refusals, expected
from tests.sql.conftest import HandmadeLake


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    prompts = ("plain", "confidence")
    refusals = Refusals(lake, per_stratum=1, per_generator=18, answer_prompts=prompts)
    unread = next(case for case in refusals.cases if case.traits["prompt"] == "plain")
    refusals.reply("perfect", lambda case: (expected(case), "CONFIDENT"))
    refusals.reply(
        "bold", lambda case: (None if case == unread else "answer_attempt", "VERY_CONFIDENT")
    )
    suite = load_suite("refusalbench")
    with lake.open() as warehouse:
        reports = gather(warehouse, suite, "dev", ["j"], {})
    return measured_of(reports, suite, "dev", judges=["j"], parameters={})


def test_every_part_of_its_sections_is_drawn(measured: Measured) -> None:
    drawn = {section.id: len(section.parts) for section in sections(measured)}
    assert {section.id: drawn.get(section.id) for section in PAGE.sections} == {
        section.id: len(section.shows) for section in PAGE.sections
    }


def test_a_case_shows_what_changed_and_why_it_has_its_label(measured: Measured) -> None:
    index, chunks = case_data(measured)
    names = {case["case_id"]: case["variant"] for case in measured.reports["reports.explain"]}
    queries = {name: query for name, _, _, query, _ in index["cases"]}
    found = [case for chunk in chunks for case in chunk["cases"]]
    assert len(found) == len(names)
    for case in found:
        assert {heading for heading, _ in case["evidence"]} == {"Lever", "Votes"}
        added = [text for _, pieces in case["changed"] for kind, text in pieces if kind == "added"]
        if names[case["id"]].startswith("false_premise"):
            assert added == []
            assert (
                "".join(text for kind, text in case["query"] if kind != "removed")
                == (queries[case["id"]])
            )
        else:
            assert set(added) == {" So we say."}
            assert case["query"] is None
        assert ("REFUSE" in case["target"]) != case["isAnswerable"]
