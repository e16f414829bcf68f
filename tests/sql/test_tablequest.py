"""What TableQuest's judgements count for, and its reports of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.scoring.metrics import metrics_of
from tasks.suites.tablequest.metrics import METRICS
from tests.sql.conftest import HandmadeLake
from tests.sql.tables_asked import LEVELS, add_case, add_verdict, of_label

BASELINE = {"baseline": "base"}
LEFT = "left to other judges"


@pytest.fixture
def cases(lake: HandmadeLake) -> Mapping[str, list[str]]:
    """Ten cases of each level, `easy 0` to `hard 9`, each of a filing of its own."""
    names = {level: [f"{level} {number}" for number in range(10)] for level in LEVELS}
    for level, of_level in names.items():
        for name in of_level:
            add_case(lake, name, level)
    return names


def compare(
    lake: HandmadeLake, case: str, labels: tuple[str | None, str | None], other: str = "base"
) -> None:
    """A model's label when it is shown first, and the other one's when it is."""
    for label, shown in zip(labels, (("m", other), (other, "m")), strict=True):
        add_verdict(lake, case, "pairwise=j", *shown, **of_label(label))


def by_rule(lake: HandmadeLake, case: str, label: str | None) -> None:
    about: dict[str, Any] = {"is_number": label != LEFT}
    if label is not None:
        em = int(label == "correct")
        about |= {"reply": "answer", "answer": "5%", "em": em, "f1": 0.5, "rouge_l": 0.25}
    verdict = {"unscored_reason": "words"} if label == LEFT else of_label(label)
    add_verdict(lake, case, "reference", details=about, **verdict)


def metrics(lake: HandmadeLake) -> dict[tuple[str, ...], float | None]:
    """Values by model, judge, metric and level (`all` for all)."""
    suite: Any = SimpleNamespace(name="tablequest", metrics=METRICS)
    read = "from staging.sums; from staging.cell_units; from staging.pairs"
    with lake.open(query=read, parameters=BASELINE) as connection:
        found = metrics_of(connection, suite, "dev", options=BASELINE)
    return {
        (row.model, row.judge, row.metric, row.slice_value): row.value
        for row in found
        if row.slice_by in ("overall", "task")
    }


def test_accuracy_is_the_mean_of_both_levels(lake, cases) -> None:
    for level, n_right, n in (("easy", 8, 10), ("medium", 2, 4)):
        for number in range(n):
            by_rule(lake, cases[level][number], "correct" if number < n_right else "wrong")
    by_rule(lake, cases["medium"][4], LEFT)
    by_rule(lake, cases["hard"][0], LEFT)
    by_rule(lake, cases["medium"][5], None)
    add_verdict(lake, cases["easy"][0], "accuracy=j", label="wrong")
    add_verdict(lake, cases["medium"][0], "accuracy=j", label="correct")
    add_verdict(lake, cases["hard"][0], "accuracy=j", unscored_reason="an analysis")
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
    add_verdict(lake, cases["easy"][2], "reference", details={"is_number": False})
    add_verdict(lake, cases["easy"][3], "accuracy=j")
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


def test_critiques_are_points_with_classes_of_failures(lake, cases, asked) -> None:
    for case, model, points, *failures in (
        ("easy 0", "m", 3),
        ("easy 0", "n", 1, "empty"),
        ("easy 1", "m", 2),
        ("easy 1", "n", 3),
        ("hard 0", "m", 1, "empty", "format"),
        ("hard 0", "n", 1, "empty"),
        ("hard 1", "m", 3),
    ):
        about = {"points": points, "failures": failures}
        add_verdict(lake, case, "critique=j", model, details=about, score=(points - 1) / 2)
    add_verdict(lake, "hard 1", "critique=j", "n")
    assert metrics(lake)["m", "critique=j", "critique", "all"] == 9 / 4
    by_rule(lake, "easy 0", "correct")
    add_verdict(lake, "medium 0", "reference", label="wrong", rationale="another number")
    add_verdict(lake, "medium 1", "reference", label="wrong", rationale="the opposite sign")
    assert asked(
        "select model, judge, slice_value, failure, n, share from tablequest.failure_classes "
        "where slice_by = 'task' order by all"
    ) == [
        ("m", "critique=j", "hard", "empty", 1, 0.5),
        ("m", "critique=j", "hard", "format", 1, 0.5),
        ("m", "reference", "medium", "another number", 1, 0.5),
        ("m", "reference", "medium", "the opposite sign", 1, 0.5),
        ("n", "critique=j", "easy", "empty", 1, 0.5),
        ("n", "critique=j", "hard", "empty", 1, 1),
    ]
    of_rule = "select slice_by, share from tablequest.failure_classes where slice_value = 'unknown'"
    rows = asked(f"{of_rule} and failure = 'another number' order by all")
    assert rows == [("operation", 1 / 3), ("scale", 1 / 3)]
