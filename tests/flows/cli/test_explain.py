"""`tenkbench explain`: from a cell to its cases, from a case to its pair, and its refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.pipeline.settings import RunSettings
from tests.flows.typed import tenkbench


def as_json(capsys: pytest.CaptureFixture[str], *tokens: str) -> Any:
    assert tenkbench("explain", *tokens, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_the_way_goes_from_a_cell_to_a_case_to_its_pair(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = ("--lake", finished.lake)
    cell = as_json(capsys, "--metric", "robustness", "--all", *lake)
    scores = [each["score"] for each in cell["units"] if each["score"] is not None]
    assert sum(scores) / len(scores) == pytest.approx(cell["cell"]["value"])
    assert len(cell["units"]) == cell["n_units"] == cell["cell"]["n"] + cell["cell"]["n_unscored"]

    worst = cell["units"][0]["cases"][0]
    (case,) = as_json(capsys, worst["case_id"], *lake)
    assert (case["rating"], case["variant"]) == (worst["rating"], worst["variant"])
    assert case["citations"][0]["quote"] in case["cited"]
    assert case["prompt_suffix"].endswith(case["query"])
    assert case["company"]

    pair = as_json(capsys, case["qa_pair_id"], "--model", "extractive", *lake)
    assert worst["case_id"] in [each["case_id"] for each in pair]
    assert tenkbench("explain", worst["case_id"], *lake) == 0
    assert case["company"] in capsys.readouterr().out
