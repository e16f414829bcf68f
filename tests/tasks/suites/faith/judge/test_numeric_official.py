"""The authors' scorer: each verdict and number of its recorded runs, and hostile strings."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.suites.faith.judge import numeric_official
from tasks.suites.faith.judge.masked_figure import match
from tasks.suites.faith.judge.numeric_official import (
    ANSWER_NOT_READ,
    NEGATIVE_ANSWER,
    SAME_AT_RESOLUTION,
    TOO_LARGE,
    WITHIN_TOLERANCE,
    judge_official,
    parse,
)
from tasks.suites.shared import figure_match
from tasks.suites.shared.figure_match import ANOTHER_NUMBER, EMPTY, SAME_TEXT, TRUTH_NOT_READ

# What the recorded scorer says decided, as our reasons.
REASONS = {
    "exact_string": SAME_TEXT,
    "resolution": SAME_AT_RESOLUTION,
    "relative_2pct": WITHIN_TOLERANCE,
    "too_far": ANOTHER_NUMBER,
    "negative_prediction": NEGATIVE_ANSWER,
    "pred_unparsed": ANSWER_NOT_READ,
    "gt_unparsed": TRUTH_NOT_READ,
    "null_input": EMPTY,
    "raises": EMPTY,
}


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[dict[str, Any]]:
    """Answers and truths with the verdict of the scorer as it is."""
    lines = (
        (shared / "reference/faith/numeric_verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return [json.loads(line) for line in lines]


def test_our_units_are_the_authors(shared: Path) -> None:
    file = shared / "reference/faith/unit_aliases.json"
    theirs = json.loads(file.read_text(encoding="utf-8"))["units"]
    expected = {
        name: (unit["scale"], unit["aliases"])
        for name, unit in theirs.items()
        if not unit["is_currency"]
    }
    units = tomllib.loads(
        files("tasks.suites.faith.judge").joinpath("official_units.toml").read_text("utf-8")
    )
    assert {name: (each.get("scale"), each["spellings"]) for name, each in units.items()} == (
        expected
    )


def test_every_recorded_verdict_and_its_reason_is_reproduced(
    recorded: list[dict[str, Any]],
) -> None:
    assert len(recorded) == 300
    for row in recorded:
        answer = "" if row["prediction"] is None else str(row["prediction"])
        found = match(answer, row["ground_truth"], mode="official")
        expected = (row["verdict"] == "true", REASONS[row["decided_by"]])
        assert (found.correct, found.reason) == expected, row


def test_every_recorded_number_and_resolution_is_reproduced(recorded: list[dict[str, Any]]) -> None:
    compared = [row for row in recorded if "pred_value" in row]
    assert len(compared) > 200
    for row in compared:
        if row["decided_by"] in ("exact_string", "null_input", "raises"):
            continue  # decided before anything was parsed
        for text, side in ((str(row["prediction"]), "pred"), (row["ground_truth"], "gt")):
            parsed = parse(text)
            found = (None, None) if parsed is None else (parsed.value, parsed.resolution)
            assert found == (row[f"{side}_value"], row[f"{side}_resolution"]), row


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("1" * 310, TOO_LARGE), ("1e999999", TOO_LARGE), ("NaN", ANSWER_NOT_READ)],
)
def test_an_answer_is_scored_as_the_authors_would(answer: str, reason: str) -> None:
    assert judge_official(answer, "$5.20 billion")[1] == reason


@pytest.mark.parametrize("unit", ["1", "(", "( ", "(1", "1.", ".", "five ", "-", "1e", "1,"])
def test_a_text_of_millions_of_characters_is_judged_in_linear_time(unit: str) -> None:
    # Quadratic time would be an hour, and the test's own limit would end it.
    assert not match(unit * (1_000_000 // len(unit)), "$5.20 billion", mode="official").correct


DIFFERENCES = tomllib.loads(
    (Path(__file__).parent / "numeric_deviations.toml").read_text(encoding="utf-8")
)["difference"]
PAIRS = [
    pytest.param(truth, answer, each["strict"], each["official"], id=f"{truth} | {answer}")
    for each in DIFFERENCES
    for truth, answer in each["pairs"]
]
ANY_PAIRS = [(truth, answer) for each in DIFFERENCES for truth, answer in each["pairs"]]
ALL_REASONS = {
    value
    for module in (figure_match, numeric_official)
    for name, value in vars(module).items()
    if name.isupper() and not name.startswith("_") and isinstance(value, str)
}


@pytest.mark.parametrize(("truth", "answer", "strict", "official"), PAIRS)
def test_strict_differs_from_official_as_it_is_listed(
    truth: str, answer: str, strict: bool, official: bool
) -> None:
    assert strict is not official
    assert match(answer, truth, mode="strict").correct is strict
    assert match(answer, truth, mode="official").correct is official


def test_every_recorded_pair_on_which_the_two_differ_is_listed(recorded) -> None:
    pairs = [(row["ground_truth"], str(row["prediction"] or "")) for row in recorded]
    differing = {
        (truth, answer)
        for truth, answer in pairs
        if match(answer, truth, "strict").correct is not match(answer, truth, "official").correct
    }
    assert len(differing) > 50
    assert differing <= set(ANY_PAIRS)


@settings(max_examples=150)
@given(
    st.one_of(
        st.text(max_size=250),
        st.text(alphabet="0123456789.,$%()-–½²٥eE+xmMbB [MASK]{}\"'", max_size=80),
    ),
    st.one_of(st.sampled_from([truth for truth, _ in ANY_PAIRS]), st.text(max_size=40)),
)
def test_no_text_breaks_it(answer: str, truth: str) -> None:
    for mode in ("strict", "official"):
        found = match(answer, truth, mode=mode)
        assert found.reason in ALL_REASONS
