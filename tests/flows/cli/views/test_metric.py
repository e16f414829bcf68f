"""A cell of the metrics on a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from flows.cli.views import console
from flows.cli.views.metric import show_cell
from tasks.core.rows import Metric
from tasks.results.explain.explain import JudgedCase, Unit

CELL = Metric(
    suite="failsafeqa",
    release="dev",
    model="m",
    judge="j",
    metric="robustness",
    slice_by="overall",
    slice_value="all",
    n=2,
    n_unscored=1,
    n_groups=2,
    value=0.5,
    median=0.5,
    mean=0.5,
    low=0.1,
    high=0.9,
    worst=1 / 3,
    best=2 / 3,
    score_id="",
)


def unit(score: int | None, *ratings: int | None, query: str = "What was revenue?") -> Unit:
    cases = tuple(
        JudgedCase(
            case_id=f"case-{number}",
            variant=("baseline", "ocr", "misspelled")[number],
            query=query,
            rating=rating,
            is_compliant=None if rating is None else rating >= 4,
            unscored_reason="no verdict" if rating is None else None,
        )
        for number, rating in enumerate(ratings)
    )
    return Unit(
        unit_id="pair-1",
        part="robustness",
        qa_pair_id="pair-1",
        query=query,
        score=score,
        cases=cases,
    )


PASSAGE = (
    f"{'What came before matters less. ' * 9}Sales rose by [MASK] in May. "
    f"{'What follows does, too. ' * 9}"
)


def masked(score: int, answer: str) -> Unit:
    case = JudgedCase(
        case_id=f"case-{score}",
        variant="baseline",
        query=PASSAGE,
        rating=None,
        label="correct" if score else "wrong",
        is_compliant=bool(score),
        unscored_reason=None,
        rationale="the same figure"
        if score
        else "another number, which is a reason longer than forty characters",
        answer_read=answer,
        target="4 %",
    )
    return Unit(
        unit_id="case",
        part="accuracy",
        qa_pair_id="pair",
        query=PASSAGE,
        score=score,
        cases=(case,),
    )


FIGURES = replace(
    CELL, suite="faith", metric="accuracy", slice_by="scenario", slice_value="no derivation"
)
LAKE = {"lake": "my lake"}


def test_a_cell_and_its_units_as_they_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(console, "console", lambda: Console(width=80, no_color=True))
    nearly = replace(CELL, n=4_000, value=0.99975, low=0.9996, high=0.99999, worst=0.0002, best=1.0)
    empty = replace(CELL, n=0, value=None, low=None, high=None, worst=0.0, best=1.0)
    pairs = [unit(0, 1, 6, None), unit(None, 5, None), unit(1, 6, 6)]
    for cell, units in (
        (CELL, pairs),
        (nearly, []),
        (empty, []),
        (FIGURES, [masked(0, "5 %"), masked(1, "4 %")]),
    ):
        show_cell(cell, units, 2, {}, as_json=False)
    show_cell(CELL, pairs, None, LAKE, against="other", as_json=False)
    assert capsys.readouterr().out == snapshot
