"""A cell of the metrics on a terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from flows.cli.views import console
from flows.cli.views.metric import FIELDS, PROMPTS, show_cases, show_cell
from tasks.results.explain.explain import JudgedCase, Unit
from tests.scored import METRIC

CELL = replace(
    METRIC, release="dev", n=2, n_unscored=1, n_groups=2, low=0.1, high=0.9, worst=1 / 3, best=2 / 3
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
        label="correct" if score else "wrong",
        is_compliant=bool(score),
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


# Clears the screen, renames the window, rings, hides, overwrites, turns the line, opens markup.
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x9b8m\rRating by the judge  6 "
    "of 6\u202e\x00 [bold red]bold[/bold red]\n  6 of 6, compliant"
)

ROW: dict[str, Any] = {
    **dict.fromkeys((*FIELDS, *PROMPTS)),
    "release": "dev",
    "suite": "failsafeqa",
    "qa_pair_id": "pair-1",
    "case_id": "case-1",
    "variant": "misspelled",
    "is_answerable": True,
    "original_query": "What was revenue?",
    "query": "What was revenu?",
    "target": "$5 million",
    "model": "m",
    "answer": "Hats sell well.",
    "finish_reason": "length",
    "judge": "j",
    "is_by_rule": False,
    "rating": 2,
    "is_compliant": False,
    "rationale": "The answer is about something else.",
    "citations": [{"quote": "Revenue was $5 million."}],
    "citation_text": "The report's opening. Revenue was $5 million.",
    "prompt_prefix": "FIRST " + "long " * 100,
    "company": "Hats Inc.",
    "source_uri": "hats.htm",
    "edgar_url": "https://www.sec.gov/Archives/edgar/data/1/000000000117000002/index.htm",
}


def row(**values: Any) -> dict[str, Any]:
    """Return the row with other values."""
    return ROW | values


def show(*rows: dict[str, Any], is_pair: bool = False, is_full: bool = False) -> None:
    show_cases(rows, is_pair=is_pair, is_full=is_full, as_json=False)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal with colours, and what is written on it."""
    written = io.StringIO()
    wide = Console(
        file=written, force_terminal=True, color_system="standard", width=100, no_color=False
    )
    monkeypatch.setattr(console, "console", lambda: wide)
    return written


def test_a_case_is_shown_from_its_query_down_to_its_filing(
    terminal: io.StringIO, snapshot: SnapshotAssertion
) -> None:
    show(row())
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()) == snapshot


def test_no_control_character_of_a_model_reaches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = row(answer=HOSTILE, rationale=HOSTILE, company=HOSTILE, prompt_prefix=HOSTILE)
    show(hostile, is_full=True)
    show(hostile, hostile, is_pair=True)
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\x9b\r\u202e\x00")
    assert "⟨U+001B⟩[2J" in shown
    assert "[bold red]bold[/bold red]" in shown  # as it was said, not as markup
    assert not [line for line in shown.splitlines() if line.startswith("  6 of 6")]
