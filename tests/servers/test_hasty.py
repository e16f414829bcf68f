"""The scripted candidate answers what it is asked, and errs as it says."""

from __future__ import annotations

from tasks.answers.grounded import NOT_IN_DOCUMENT, OPERATION, Inputs
from tasks.prompts import fill
from tests.servers.hasty import answer

CONTEXT = (
    "Net income was $12 million in 1997.\n\n" + "Nothing else happened. \n\n" * 20 + "Rent was $3 million."
)


def prompt(query: str) -> str:
    filled = fill(OPERATION.template, {"context": CONTEXT, "query": query})
    return filled.prefix + filled.suffix


def test_it_errs_in_about_its_share_of_answers_and_always_alike() -> None:
    replies = [answer(prompt(f"What was net income in 1997? ({number})")) for number in range(400)]
    assert replies == [answer(prompt(f"What was net income in 1997? ({number})")) for number in range(400)]
    assert 10 < replies.count(NOT_IN_DOCUMENT) < 45
    wrong = [reply for reply in replies if reply != NOT_IN_DOCUMENT and "$12 million in 1997" not in reply]
    assert 30 < len(wrong) < 75


def test_it_does_not_see_the_last_third() -> None:
    assert not any("$3 million" in answer(prompt(f"What was rent? ({number})")) for number in range(50))


def test_a_primer_has_no_question() -> None:
    filled = fill(OPERATION.template, {"context": CONTEXT, "query": ""})
    assert answer(filled.prefix) == "There is no question."


def test_without_a_document_it_says_so() -> None:
    filled = fill(OPERATION.template, vars_of(Inputs(context="", query="What was rent?")))
    assert "document" in answer(filled.prefix + filled.suffix)


def vars_of(inputs: Inputs) -> dict[str, str]:
    return {"context": inputs.context, "query": inputs.query}
