"""`tenkbench explain` shows a case, and nothing that a model says runs on the terminal."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

import flows.cli.views.console
from flows.cli.views.metric import FIELDS, PROMPTS, show_cases

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
    console = Console(
        file=written, force_terminal=True, color_system="standard", width=100, no_color=False
    )
    monkeypatch.setattr(flows.cli.views.console, "console", lambda: console)
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
