"""Every question is perturbed by a lever of each stratum, or by all; the rest is unread."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tasks.inference.client import Client
from tasks.inference.operation import Call
from tasks.suites.refusalbench.generation import CHANGES_NOTHING, NO_LEVER, REPEATED, perturb
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation
from tests.perturbed import base_question, generator, inputs_of, pair_of
from tests.scripted import Scripted

SINGLE, MULTI = base_question(), base_question(1, "multi", n_signal=3)


def perturbed(
    *engines: Scripted, bases: tuple[BaseQuestion, ...] = (SINGLE, MULTI), levers: int = 1
) -> Any:
    rows = [*bases, *map(pair_of, bases)]
    clients = [Client(engine, part=None) for engine in engines]
    return list(perturb(inputs_of(*rows, engines={"generator": clients}, levers=levers)))  # type: ignore[dict-item]


def first(call: Call, replaced: tuple[str, str]) -> list[dict[str, str]]:
    """Change words of the only passage."""
    text = call.inputs()["passages"]  # its name, too, as some models copy it
    return [{"passage": "S1", "perturbed_text": text.replace(*replaced)}]


def of_stratum(rows: list[Perturbation], name: str, intensity: str, setting: str) -> Perturbation:
    (found,) = (
        row
        for row in rows
        if (row.perturbation_class, row.intensity, row.setting) == (name, intensity, setting)
    )
    return found


def test_each_generator_perturbs_each_question_once_in_each_stratum() -> None:
    rows = perturbed(generator("a"), generator("b"))
    assert len(rows) == len({row.perturbation_id for row in rows}) == 2 * 2 * 18
    assert Counter(row.generator for row in rows) == {"a": 36, "b": 36}
    assert {row.unread_reason for row in rows} == {None}


def test_generators_are_told_one_lever_at_a_time_and_the_same_ones() -> None:
    def signed(call: Call) -> dict[str, Any]:
        return {"perturbed_passages": first(call, ("Plant", call.inputs()["lever"][:20]))}

    rows = perturbed(generator("a", signed), generator("b", signed), bases=(SINGLE,), levers=11)
    assert Counter(row.generator for row in rows) == {"a": 176, "b": 176}
    of = {name: [row.lever for row in rows if row.generator == name] for name in "ab"}
    assert of["a"] == of["b"]
    # in the class that keeps its passages, all levers gave the same question
    again = {row.perturbation_class for row in rows if row.unread_reason == REPEATED}
    assert again == {"false_premise"}


def test_an_unfit_lever_gives_way_to_the_next_one_of_its_stratum() -> None:
    told: list[str] = []

    def picky(call: Call) -> dict[str, Any]:
        told.append(call.inputs()["stratum"])
        return {"lever_selected": "none"} if told.count(told[-1]) == 1 else {}

    rows = perturbed(generator(change=picky), bases=(SINGLE,))
    assert Counter(row.unread_reason for row in rows) == {NO_LEVER: 18, None: 18}
    assert len({row.lever for row in rows}) == 36


def test_questions_outside_the_base_set_are_not_perturbed() -> None:
    engine = Client(generator(), part=None)
    rows = perturb(inputs_of(SINGLE, MULTI, pair_of(SINGLE), engines={"generator": [engine]}))  # type: ignore[list-item]
    assert {row.base_question_id for row in rows} == {SINGLE.base_question_id}


def test_changes_stand_at_their_place_among_all_passages() -> None:
    rows = perturbed(generator())
    everywhere = of_stratum(rows, "missing_info", "low", "multi")
    assert [change.index for change in everywhere.changes] == [1, 2, 3]
    for change in everywhere.changes:
        assert change.text == f"{MULTI.passages[change.index].text} So we say."
    (noise,) = of_stratum(rows, "contradiction", "high", "multi").changes
    assert noise.index == 0
    assert of_stratum(rows, "false_premise", "high", "multi").changes == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"lever_selected": "None"}, NO_LEVER),
        ({"perturbed_passages": [{"passage": 1, "perturbed_text": "x"}]}, "not a list of passages"),
        (
            {"perturbed_passages": [{"passage": "S4", "perturbed_text": "x"}]},
            "the question has no passage S4",
        ),
        (
            {"perturbed_passages": [{"passage": "S1", "perturbed_text": text} for text in "xy"]},
            "the reply changes passage S1 twice",
        ),
    ],
)
def test_what_cannot_be_read_is_no_perturbation(change: dict[str, Any], reason: str) -> None:
    (row, *_) = perturbed(generator(change=lambda call: change), bases=(MULTI,))
    assert reason in (row.unread_reason or "")
    assert (row.query, row.changes) == (None, ())


def test_a_passage_that_must_stay_is_taken_from_the_original() -> None:
    texts = {"S1": "Net sales.", "[n7]": "We lease."}.items()
    change = [{"passage": name, "perturbed_text": text} for name, text in texts]
    straight = generator(change=lambda call: {"perturbed_passages": change})
    rows = perturbed(straight, bases=(MULTI,))
    row = of_stratum(rows, "false_premise", "high", "multi")
    assert (row.changes, row.unread_reason) == ((), None)


def test_a_reply_that_changes_nothing_but_whitespace_is_no_perturbation() -> None:
    def spaced(call: Call) -> dict[str, Any]:
        return {"perturbed_query": "...", "perturbed_passages": first(call, (" ", "  "))}

    rows = perturbed(generator(change=spaced), bases=(SINGLE,))
    row = of_stratum(rows, "missing_info", "high", "single")
    assert (row.query, row.changes, row.unread_reason) == (None, (), CHANGES_NOTHING)


def test_a_reply_may_name_just_the_passages_that_the_class_may_change() -> None:
    named: dict[str, tuple[int, list[str]]] = {}

    def note(call: Call) -> dict[str, Any]:
        passages = (call.schema or {})["properties"]["perturbed_passages"]
        name = passages["items"]["properties"]["passage"]
        named[call.inputs()["stratum"]] = passages["maxItems"], name["enum"]
        return {}

    perturbed(generator(change=note), bases=(MULTI,))
    assert named["missing_info, low"] == (3, ["S1", "S2", "S3"])
    assert named["contradiction, low"][0] == 5
    assert {name[0] for name in named["contradiction, low"][1]} == {"N"}
    assert named["false_premise, low"][0] == 0
