"""What TableQuest's judgements count for, and its reports of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import log10
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.core.rows import Judgement
from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import SUITES
from tasks.suites.tablequest.metrics import METRICS
from tests.sql.conftest import HandmadeLake
from tests.sql.tables_asked import add_case

LEVELS = ("easy", "medium", "hard")
BASELINE = {"baseline": "base"}
LEFT = "left to other judges"


@pytest.fixture
def lake(lake: HandmadeLake, monkeypatch: pytest.MonkeyPatch) -> HandmadeLake:
    """A lake whose warehouse has TableQuest's relations."""
    monkeypatch.setitem(SUITES, "tablequest", "tasks.suites.tablequest")
    return lake


@pytest.fixture
def cases(lake: HandmadeLake) -> Mapping[str, list[str]]:
    """Ten cases of each level, `easy 0` to `hard 9`, each of a filing of its own."""
    found: dict[str, list[str]] = {}
    for level in LEVELS:
        for number in range(10):
            add_case(lake, f"{level} {number}", level)
            found.setdefault(level, []).append(f"{level} {number}")
    return found


def add(
    lake: HandmadeLake,
    case: str,
    judge: str,
    model: str = "m",
    other: str | None = None,
    details: Mapping[str, Any] | None = None,
    **verdict: Any,
) -> None:
    row = Judgement(
        judgement_id=f"{case} {judge} {model} {other}",
        request_id=f"{case} {model}",
        other_request_id=None if other is None else f"{case} {other}",
        case_id=case,
        model=model,
        other_model=other,
        judge=judge,
        details=None if details is None else json.dumps(details),
        **(verdict or {"unscored_reason": "no verdict"}),
    )
    lake.add(row, suite="tablequest")


def compare(
    lake: HandmadeLake,
    case: str,
    labels: tuple[str | None, str | None],
    model: str = "m",
    other: str = "base",
    judge: str = "pairwise=j",
) -> None:
    """A model's label when it is shown first, and the other one's when it is."""
    for label, shown in zip(labels, ((model, other), (other, model)), strict=True):
        add(lake, case, judge, *shown, **({} if label is None else {"label": label}))


def by_rule(lake: HandmadeLake, case: str, label: str | None, model: str = "m") -> None:
    about: dict[str, Any] = {"is_number": label != LEFT}
    if label is None:
        add(lake, case, "reference", model, details=about)
        return
    is_right = label == "correct"
    about |= {"reply": "answer", "answer": "5%", "em": int(is_right), "f1": 0.5, "rouge_l": 0.25}
    verdict = {"unscored_reason": "words"} if label == LEFT else {"label": label}
    add(lake, case, "reference", model, details=about, **verdict)


def metrics(lake: HandmadeLake) -> dict[tuple[str, ...], float | None]:
    """Values by model, judge, metric and level (`all` for all)."""
    suite: Any = SimpleNamespace(name="tablequest", metrics=METRICS)
    read = "from staging.sums; from staging.cell_units; from staging.pairs"
    with lake.open(asked=read, parameters=BASELINE) as connection:
        found = metrics_of(connection, suite, "dev", options=BASELINE)
    return {
        (row.model, row.judge, row.metric, row.slice_value): row.value
        for row in found
        if row.slice_by in ("overall", "task")
    }


def test_accuracy_is_the_mean_of_both_levels(lake, cases) -> None:
    for number in range(10):
        by_rule(lake, cases["easy"][number], "correct" if number < 8 else "wrong")
    for number in range(4):
        by_rule(lake, cases["medium"][number], "correct" if number < 2 else "wrong")
    by_rule(lake, cases["medium"][4], LEFT)
    by_rule(lake, cases["hard"][0], LEFT)
    by_rule(lake, cases["medium"][5], None)
    add(lake, cases["easy"][0], "accuracy=j", label="wrong")
    add(lake, cases["medium"][0], "accuracy=j", label="correct")
    add(lake, cases["hard"][0], "accuracy=j", unscored_reason="an analysis")
    found = metrics(lake)
    assert found["m", "reference", "easy_accuracy", "all"] == 0.8
    assert found["m", "reference", "medium_accuracy", "all"] == 0.5
    assert found["m", "reference", "accuracy", "all"] == pytest.approx(0.65)
    assert found["m", "accuracy=j", "accuracy", "all"] == 0.5
    assert ("m", "reference", "accuracy", "easy") not in found
    assert found["m", "reference", "em", "all"] == pytest.approx(10 / 14)
    assert found["m", "reference", "f1", "hard"] == 0.5
    assert found["m", "reference", "rouge_l", "all"] == 0.25


def test_what_is_left_to_other_judges_is_listed_and_makes_no_unit(lake, cases, asked) -> None:
    by_rule(lake, cases["easy"][0], LEFT)
    by_rule(lake, cases["easy"][1], None)
    add(lake, cases["easy"][2], "reference", details={"is_number": False})
    add(lake, cases["easy"][3], "accuracy=j")
    found = asked(
        "select judge, metric, case_id, numerator, denominator from tablequest.units "
        "where metric in ('em', 'easy_accuracy') order by all"
    )
    assert found == [
        ("accuracy=j", "easy_accuracy", "easy 3", None, None),
        ("reference", "easy_accuracy", "easy 1", None, None),
        ("reference", "em", "easy 1", None, None),
    ]
    reasons = "select judge, unscored_reason, n, n_answers from reports.unscored_reasons"
    assert sorted(asked(reasons)) == [
        ("accuracy=j", "no verdict", 1, 1),
        ("reference", "no verdict", 2, 3),
        ("reference", "words", 1, 3),
    ]


@pytest.mark.parametrize(
    ("labels", "points", "of_other"),
    [
        (("won", "lost"), 1, 0),
        (("lost", "won"), 0, 1),
        (("won", "won"), 0.5, 0.5),  # whoever is shown first
        (("lost", "lost"), 0.5, 0.5),
        (("won", "tie"), 0.5, 0.5),
        (("tie", "tie"), 0.5, 0.5),
        (("won", None), None, None),
    ],
)
def test_a_game_is_won_only_in_both_orders(lake, cases, asked, labels, points, of_other) -> None:
    compare(lake, "hard 0", labels)
    compare(lake, "easy 0", ("won", "lost"))  # else a judge that changed its verdict has failed
    found = asked(
        "select model, other_model, case_id, numerator, denominator from tablequest.units "
        "where metric = 'points' and case_id = 'hard 0' order by all"
    )
    size = None if points is None else 1
    assert found == [
        ("base", "m", "hard 0", of_other, size),
        ("m", "base", "hard 0", points, size),
    ]


def test_elo_follows_from_games_against_the_baseline_by_level(lake, cases) -> None:
    """The paper's 797.37 of gpt-4o-vision on hard questions is 19 points of 80 games."""
    for number in range(80):
        add_case(lake, f"game {number}", "hard")
        compare(lake, f"game {number}", ("won", "lost") if number < 19 else ("lost", "won"))
    for case in cases["easy"]:
        compare(lake, case, ("won", "won"))
        compare(lake, case, ("lost", "won"), other="third")  # not against the baseline
    for case in cases["medium"]:
        compare(lake, case, ("won", "lost"))
    found = metrics(lake)
    elo = {level: found["m", "pairwise=j", "elo", level] for level in (*LEVELS, "all")}
    assert elo["hard"] == pytest.approx(797.37, abs=0.005)
    assert elo["easy"] == 1000  # the judge always says model_1
    assert elo["medium"] == pytest.approx(1000 + 400 * log10(9.5 / 0.5))  # clipped: 10 of 10
    assert elo["all"] == pytest.approx(1000 + 400 * log10(34 / 66))
    assert found["m", "pairwise=j", "points", "easy"] == 0.25


def criticise(lake: HandmadeLake, case: str, model: str, points: int, *failures: str) -> None:
    about = {"points": points, "failures": failures}
    add(lake, case, "critique=j", model, details=about, score=(points - 1) / 2)


def test_critiques_are_points_with_classes_of_failures(lake, cases, asked) -> None:
    criticise(lake, "easy 0", "m", 3)
    criticise(lake, "easy 0", "n", 1, "empty")
    criticise(lake, "easy 1", "m", 2)
    criticise(lake, "easy 1", "n", 3)
    criticise(lake, "hard 0", "m", 1, "empty", "format")
    criticise(lake, "hard 0", "n", 1, "empty")
    criticise(lake, "hard 1", "m", 3)
    add(lake, "hard 1", "critique=j", "n")
    assert metrics(lake)["m", "critique=j", "critique", "all"] == 9 / 4
    assert asked(
        "select model, level, failure, n, share from tablequest.failure_classes order by all"
    ) == [
        ("m", "hard", "empty", 1, 0.5),
        ("m", "hard", "format", 1, 0.5),
        ("n", "easy", "empty", 1, 0.5),
        ("n", "hard", "empty", 1, 1),
    ]
