"""The base set: balanced, right by the panel if there is one, and nothing disappears."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tasks.core.rows import Context, QAPair, Reject
from tasks.inference.operation import Call
from tasks.suites.refusalbench.base.base_set import NOT_DRAWN, UNREAD, WRONG, balanced, build_base
from tasks.suites.refusalbench.rows import BaseAnswer, BaseQuestion
from tests.base_questions import filings_of, inputs_of, question, questions_of
from tests.scripted import Scripted
from tests.some import some


def built(questions: list[BaseQuestion], *panel: Scripted, **options: Any) -> list[Any]:
    made = list(build_base(inputs_of(*questions, engines={"base_panel": panel}, **options)))
    pairs = [row.qa_pair_id for row in made if isinstance(row, QAPair)]
    rejects = [row.parent_id for row in made if isinstance(row, Reject)]
    assert sorted([*pairs, *rejects]) == sorted(each.base_question_id for each in questions)
    contexts = [row.context_id for row in made if isinstance(row, Context)]
    assert len({*contexts}) == len(contexts)
    assert {row.context_id for row in made if isinstance(row, QAPair)} == {*contexts}
    return made


def kept(made: list[Any]) -> list[str]:
    return [row.qa_pair_id for row in made if isinstance(row, QAPair)]


def test_kinds_and_filings_take_turns() -> None:
    kinds = ["money"] * 50 + ["date"] * 30 + ["text"] * 20
    questions = [
        question(n, kind=kind, document=f"filing {n % 10}") for n, kind in enumerate(kinds)
    ]
    drawn = balanced(questions, 18, seed=0)
    assert Counter(each.answer_kind for each in drawn) == {"money": 6, "date": 6, "text": 6}
    drawn = balanced(questions[:50] + questions[80:], 18, seed=0)
    assert Counter(each.answer_kind for each in drawn) == {"money": 12, "text": 6}
    assert max(Counter(each.source_id for each in drawn).values()) <= 3


def test_no_filing_has_more_than_twice_its_share() -> None:
    questions = [question(n, document="big" if n < 90 else f"small {n}") for n in range(93)]
    drawn = balanced(questions, 8, seed=0)
    assert Counter(each.source_id for each in drawn)["big"] == 4


def test_without_a_panel_all_questions_may_be_drawn_and_pairs_say_so() -> None:
    questions = [question(n) for n in range(30)]
    made = built(questions, base_questions=10)
    assert len(kept(made)) == 10
    pairs = [row for row in made if isinstance(row, QAPair)]
    assert {pair.traits["panel"] for pair in pairs} == {"none"}
    assert {row.reason for row in made if isinstance(row, Reject)} == {NOT_DRAWN}
    assert not [row for row in made if isinstance(row, BaseAnswer)]


def answering(wrong: int | None = None, unread: int | None = None, model: str = "one") -> Scripted:
    def reply(call: Call) -> str:
        number = int(call.inputs()["query"].split()[-1].rstrip("?"))
        if number == unread:
            return '{"answer": "$1 million"} or {"answer": "$2 million"}'
        return f'{{"answer": "${number + (number == wrong)} million"}}'

    return Scripted(reply, model=model)


def test_only_questions_that_the_whole_panel_answers_right_are_kept() -> None:
    questions = [question(n) for n in range(1, 6)]
    made = built(questions, answering(wrong=2), answering(unread=4, model="two"))
    assert sorted(kept(made)) == ["question 1", "question 3", "question 5"]
    reasons = {row.parent_id: row.reason for row in made if isinstance(row, Reject)}
    assert reasons == {"question 2": WRONG, "question 4": UNREAD}
    answers = [row for row in made if isinstance(row, BaseAnswer)]
    assert len(answers) == 10
    assert [(row.model, row.answer) for row in answers if row.is_right is None] == [("two", None)]
    assert {row.traits["panel"] for row in made if isinstance(row, QAPair)} == {"right"}


def test_answers_in_words_are_judged_by_the_first_model() -> None:
    def reply(call: Call) -> str:
        if call.request.operation == "panel_answer":
            return '{"answer": "The State of Delaware"}'
        score = 5 if call.inputs()["reference"] == "Delaware" else 1
        return f'{{"classification": "answer_attempt", "quality_score": "{score}"}}'

    states = [question(n, kind="text", answer=name) for n, name in enumerate(("Ohio", "Delaware"))]
    assert kept(built(states, Scripted(reply, model="one"))) == ["question 1"]


def test_the_panel_is_asked_three_questions_for_each_of_the_base_set() -> None:
    model = answering()
    made = built([question(n) for n in range(1, 41)], model, base_questions=5)
    assert (len(model.calls), len(kept(made))) == (15, 5)


def test_pairs_of_the_samples_show_their_passages() -> None:
    questions = questions_of(filings_of())
    made = built(questions, base_questions=20)
    by_id = {each.base_question_id: each for each in questions}
    contexts = {row.context_id: row for row in made if isinstance(row, Context)}
    for pair in some([row for row in made if isinstance(row, QAPair)]):
        of, context = by_id[pair.qa_pair_id], contexts[pair.context_id]
        assert all(passage.text in context.text for passage in of.passages)
        assert ("Passage 10:" in context.text) == (of.setting == "multi")
        assert (context.kind, context.document_ids[0]) == ("passages", of.source_id)
        assert pair.answer == of.answers[0]
        assert pair.traits["answer_kind"] == of.answer_kind
