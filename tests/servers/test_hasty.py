"""The scripted candidate answers what it is asked, and errs as it says."""

from __future__ import annotations

import dataclasses

from tasks.baseline.failsafeqa.answer import NOT_IN_DOCUMENT
from tasks.baseline.faith import NOT_FOUND
from tasks.inference.prompts import fill
from tasks.suites.failsafeqa.answer import OPERATION, Inputs
from tasks.suites.faith import answer as restored
from tasks.suites.faith.answer import NEITHER
from tasks.suites.shared.tables.sheets import Sheet, write_sheets
from tests.servers.hasty import answer

CONTEXT = (
    "Net income was $12 million in 1997.\n\n"
    + "Nothing else happened. \n\n" * 20
    + "Rent was $3 million."
)


TABLES = write_sheets([
    Sheet(index=0, pre_text="Sales by product (in millions):",
          cells=(("", "2023"), ("Pump sales", "$426.4"))),
    Sheet(index=1, pre_text="Rent (in millions):",
          cells=(("", "2023"), ("Rent of all our offices", "$31.7"))),
])  # fmt: skip


def masked(passage: str) -> str:
    inputs = dataclasses.asdict(restored.Inputs(TABLES, NEITHER, passage))
    filled = fill(restored.OPERATION.template, inputs)
    return filled.prefix + filled.suffix


def prompt(query: str) -> str:
    filled = fill(OPERATION.template, {"context": CONTEXT, "query": query})
    return filled.prefix + filled.suffix


def test_it_errs_in_about_its_share_of_answers_and_always_alike() -> None:
    replies = [answer(prompt(f"What was net income in 1997? ({number})")) for number in range(400)]
    assert replies == [
        answer(prompt(f"What was net income in 1997? ({number})")) for number in range(400)
    ]
    assert 10 < replies.count(NOT_IN_DOCUMENT) < 45
    wrong = [
        reply
        for reply in replies
        if reply != NOT_IN_DOCUMENT and "$12 million in 1997" not in reply
    ]
    assert 30 < len(wrong) < 75


def test_it_restores_a_masked_figure_in_the_form_that_is_asked_for_and_errs_as_often() -> None:
    replies = [
        restored.parse(answer(masked(f"Pump sales were [MASK] in 2023. ({number})")))
        for number in range(200)
    ]
    found = [reply.answer for reply in replies]
    assert found.count("$426.4 million") > 120
    assert 5 < found.count(NOT_FOUND) < 25
    assert 12 < found.count("$426.7 million") < 40
    assert replies[found.index("$426.4 million")].scenario == "A"
    rent = restored.parse(answer(masked("Rent of all our offices was [MASK] in 2023.")))
    assert rent.answer == NOT_FOUND  # its table is in the last third


def test_it_does_not_see_the_last_third() -> None:
    assert not any(
        "$3 million" in answer(prompt(f"What was rent? ({number})")) for number in range(50)
    )


def test_a_primer_has_no_question() -> None:
    filled = fill(OPERATION.template, {"context": CONTEXT, "query": ""})
    assert answer(filled.prefix) == "There is no question."
    of_tables = fill(
        restored.OPERATION.template, {"tables": TABLES, "form": NEITHER, "passage": ""}
    )
    assert answer(of_tables.prefix) == "There is no question."


def test_without_a_document_it_says_so() -> None:
    filled = fill(OPERATION.template, vars_of(Inputs(context="", query="What was rent?")))
    assert "document" in answer(filled.prefix + filled.suffix)


def vars_of(inputs: Inputs) -> dict[str, str]:
    return {"context": inputs.context, "query": inputs.query}
