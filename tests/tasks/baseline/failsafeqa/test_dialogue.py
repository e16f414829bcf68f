"""The rule that writes conversations takes them from the context only."""

from __future__ import annotations

import json

import pytest

from tasks.baseline.failsafeqa.dialogue import reply as rule
from tasks.inference.operation import ParseError
from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.questions.dialogue import Inputs, Turn, parse
from tasks.text.query_task import task_of


def converse(
    document: str, number: int = 1, focus: str = "Wexcombe Mills, Inc. spins"
) -> tuple[Turn, ...]:
    return parse(rule(Inputs(examples="", context=document, number=str(number), focus=focus)))


def test_the_rule_asks_four_questions_for_one_text(document: str) -> None:
    tasks = [task_of(turn.user) for turn in converse(document)]
    assert tasks.count("qa") >= 6
    assert 1 <= tasks.count("tg") <= len(tasks) / 3


def test_the_rules_answers_state_the_contexts_figures_only(document: str) -> None:
    stated = {
        abs(figure.value)
        for scale in (None, "thousands")
        for figure in find_figures(document, scale)
    }
    for number in range(1, 6):
        for turn in converse(document, number):
            assert {abs(figure.value) for figure in find_figures(turn.assistant)} <= stated


def test_conversation_depends_only_on_its_inputs_and_varies_with_the_number(document: str) -> None:
    assert converse(document, 1) == converse(document, 1)
    assert len({converse(document, number) for number in range(1, 6)}) > 1


def test_context_without_drafts_gives_an_unusable_reply() -> None:
    reply = rule(Inputs(examples="", context="Hello.\n\nNothing here.", number="1", focus="Hello."))
    with pytest.raises(ParseError, match="no exchange"):
        parse(reply)


def test_the_rules_replies_are_json_lines(document: str) -> None:
    reply = rule(Inputs(examples="", context=document, number="1", focus="Competition"))
    assert all(set(json.loads(line)) == {"USER", "ASSISTANT"} for line in reply.splitlines())


def test_tables_of_one_lead_in_are_of_parts_of_the_company() -> None:
    lead_in = "The debt at the end of each year was as follows (in millions):"
    table = f"{lead_in}\n\n| 2017 | 2016\n{{}} debt | $ 41 | $ 39\nAll of the debt | 47 | 45"
    both = "\n\n".join(table.format(kind) for kind in ("Secured", "Unsecured"))
    assert any("debt" in turn.user for turn in converse(table.format("Secured")))
    with pytest.raises(ParseError):
        converse(both)


def test_a_measure_that_rises_and_falls_in_one_year_is_of_a_part() -> None:
    rises = "Upkeep expense increased 16% in 2017 primarily due to the price of parts for looms."
    falls = "Upkeep expense decreased 6% in 2017 primarily due to mills that stood still in May."
    filler = "The company has upkeep and expense. Sales increased 4% in 2017 due to dearer wool."
    assert any("upkeep" in turn.user for turn in converse(f"{filler}\n\n{rises}"))
    turns = converse(f"{filler}\n\nIn the north\n\n{rises}\n\nIn the south\n\n{falls}")
    assert not any("upkeep" in turn.user for turn in turns)
