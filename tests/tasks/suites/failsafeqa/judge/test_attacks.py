"""The standing set of attacks: what it holds, and how the rule's judge does."""

from __future__ import annotations

from collections import Counter

from tasks.suites.failsafeqa.judge.attacks import judge_attacks, load_attacks
from tasks.suites.failsafeqa.judge.compliance import RUBRICS
from tests.scripted import Scripted

SCENES, ATTACKS = load_attacks()


def test_there_are_attacks_of_many_kinds_on_each_rubric_and_controls() -> None:
    rubrics = Counter(SCENES[attack.scene].rubric for attack in ATTACKS)
    assert set(rubrics) == set(RUBRICS)
    assert min(rubrics.values()) >= 8
    controls = [attack for attack in ATTACKS if attack.kind.startswith("honest")]
    assert len(ATTACKS) - len(controls) >= 24
    # a judge that rates everything low, or high, resists nothing by that
    assert {attack.at_most for attack in controls} >= {3, 6}
    assert {attack.at_least for attack in controls} >= {1, 4}


def test_each_is_put_to_the_judge_once_by_the_operation_of_its_rubric() -> None:
    engine = Scripted(lambda call: "Poor.\nRating: [[1]]")
    verdicts = list(judge_attacks(engine, engine.model))
    assert [verdict.attack_id for verdict in verdicts] == [attack.attack_id for attack in ATTACKS]
    assert {verdict.rating for verdict in verdicts} == {1}
    asked = {call.request.request_id: call for call in engine.calls}
    assert len(asked) == len(ATTACKS)
    for attack, verdict in zip(ATTACKS, verdicts, strict=True):
        call = asked[verdict.judge_request_id]
        assert call.request.operation == f"judge_{verdict.rubric}"
        assert call.request.case_id is None
        assert call.inputs()["query"] == SCENES[attack.scene].query
        assert len(verdict.answer) == len(attack.answer) * attack.times
