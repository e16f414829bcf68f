"""The two matches of figures: their differences, and what no text breaks."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.suites.faith.judge import numeric_official
from tasks.suites.faith.judge.masked_figure import match
from tasks.suites.shared import figure_match

DIFFERENCES = tomllib.loads(
    (Path(__file__).parent / "numeric_deviations.toml").read_text(encoding="utf-8")
)["difference"]
PAIRS = [
    pytest.param(truth, answer, each["strict"], each["official"], id=f"{truth} | {answer}")
    for each in DIFFERENCES
    for truth, answer in each["pairs"]
]
ANY_PAIRS = [(truth, answer) for each in DIFFERENCES for truth, answer in each["pairs"]]
REASONS = {
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


def test_every_recorded_pair_on_which_the_two_differ_is_listed(shared: Path) -> None:
    lines = (
        (shared / "reference/faith/numeric_verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    )
    rows = [json.loads(line) for line in lines]
    pairs = [(row["ground_truth"], str(row["prediction"] or "")) for row in rows]
    differing = {
        (truth, answer)
        for truth, answer in pairs
        if match(answer, truth, "strict").correct is not match(answer, truth, "official").correct
    }
    assert len(differing) > 50
    assert differing <= {(truth, answer) for each in DIFFERENCES for truth, answer in each["pairs"]}


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
        assert found.reason in REASONS
