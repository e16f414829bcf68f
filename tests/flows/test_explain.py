"""`tenkbench explain`: what it prints, and that nothing that a model says runs on the terminal."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

import flows.explain
from flows.cli import main
from flows.explain import show_case, show_cell, show_pair
from tasks.explain import Explained, JudgedCase, Unit
from tasks.schemas import Metric
from tasks.settings import RunSettings
from tasks.text.differences import word_differences
from tasks.text.passages import passages

# Clears the screen, renames the window, rings, hides, writes over the line, turns the line around, opens markup.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b8m\rRating by the judge  6 of 6\u202e\x00 [bold red]bold[/bold red]\n  6 of 6, compliant"

ROW = Explained(
    **{
        **dict.fromkeys(Explained.__dataclass_fields__),
        "release": "dev",
        "suite": "failsafeqa",
        "model": "m",
        "judge": "j",
        "judgement_id": "judgement",
        "rating": 2,
        "is_compliant": False,
        "rationale": "The answer is about something else.",
        "case_id": "case-1",
        "perturbation": "misspelled",
        "is_answerable": True,
        "task": "qa",
        "query": "What was revenu?",
        "original_query": "What was revenue?",
        "details": '{"edits":[]}',
        "target": "$5 million",
        "answer": "Hats sell well.",
        "finish_reason": "length",
        "request_id": "request",
        "prompt_prefix": "FIRST " + "long " * 1000,
        "prompt_suffix": "Question: What was revenu? LAST",
        "judge_prompt_prefix": "RUBRIC ",
        "judge_prompt_suffix": "to be rated",
        "qa_pair_id": "pair-1",
        "citations": (),
        "citation_text": "Revenue was $5 million.",
        "context_id": "context",
        "original_context_id": "context",
        "document_id": "document",
        "item": "7",
        "filing_id": "0000000001-17-000002",
        "company": "Hats Inc.",
        "form": "10-K",
        "edgar_url": "https://www.sec.gov/Archives/edgar/data/1/000000000117000002/0000000001-17-000002-index.htm",
    }  # type: ignore[arg-type]
)
TEXT = "Hats.\n\nRevenue was $5 million. Costs fell."
PASSAGES = passages(TEXT, [(7, 30)])
CELL = Metric(
    suite="failsafeqa",
    release="dev",
    model="m",
    judge="j",
    metric="robustness",
    slice="overall",
    n=2,
    n_unscored=1,
    value=0.5,
    ci_low=0.1,
    ci_high=0.9,
    worst=1 / 3,
    best=2 / 3,
)


def unit(score: int | None, *ratings: int | None, query: str = "What was revenue?") -> Unit:
    cases = tuple(
        JudgedCase(
            case_id=f"case-{number}",
            perturbation=("baseline", "ocr", "misspelled")[number],
            query=query,
            rating=rating,
            is_compliant=None if rating is None else rating >= 4,
            unscored_reason="no verdict" if rating is None else None,
        )
        for number, rating in enumerate(ratings)
    )
    return Unit(part="robustness", qa_pair_id="pair-1", query=query, score=score, cases=cases)


def run(*tokens: str) -> int:
    """The exit status of a command."""
    try:
        main(tokens)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal with colours, and what is written on it."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system="standard", width=100, no_color=False)
    monkeypatch.setattr(flows.explain, "console", lambda: console)
    return written


# --- a case ------------------------------------------------------------------------------


def test_a_case_is_shown_from_its_query_down_to_its_filing(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=False)
    shown = capsys.readouterr().out
    for line in (
        "case-1  misspelled of pair-1, failsafeqa dev",
        "  │ What was [-revenue-]{+revenu+}?",
        "  │ Hats sell well.",
        "  it ended by length",
        "  │ $5 million",
        "Rating by j  2 of 6, not compliant",
        "  │ The answer is about something else.",
        "  │ «Revenue was $5 million.» Costs fell.",
        "Filing  Hats Inc., 10-K, 0000000001-17-000002, Item 7",
        "  https://www.sec.gov/Archives/edgar/data/1/000000000117000002/0000000001-17-000002-index.htm",
    ):
        assert line in shown.splitlines()


def test_prompts_are_folded_unless_all_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=False)
    folded = capsys.readouterr().out
    show_case(ROW, PASSAGES, [], is_full=True, as_json=False)
    full = capsys.readouterr().out
    for shown in (folded, full):
        assert "FIRST" in shown
        assert "LAST" in shown
    assert "3,637 characters; --full shows them" in folded
    assert (folded.count("long"), full.count("long")) == (folded.count("long"), 1000)
    assert folded.count("long") < 400
    assert ("RUBRIC" in folded, "RUBRIC" in full) == (False, True)


def test_another_question_is_shown_in_the_place_of_the_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    row = replace(ROW, query="How many hats?", is_answerable=False, perturbation="irrelevant_context")
    show_case(row, [], [], is_full=False, as_json=False)
    shown = capsys.readouterr().out
    assert "  │ [-What was revenue?-]\n  │ {+How many hats?+}\n" in shown
    assert "Target: to refuse, since the context lacks this" in shown
    assert "Cited, not word by word in the filing" in shown


def test_what_else_was_changed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(replace(ROW, context_id=None), [], [], is_full=False, as_json=False)
    assert "shown without any document" in capsys.readouterr().out
    scanned = replace(ROW, context_id="scan", context_kind="ocr")
    show_case(scanned, [], [word_differences("Revenue was", "Revnue was")], is_full=False, as_json=False)
    shown = capsys.readouterr().out
    assert "shown with another text of the document: ocr (scan)" in shown
    assert "Cited, as the model was shown it\n  │ [-Revenue-]{+Revnue+} was\n" in shown


def test_what_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    row = replace(
        ROW, answer=None, rating=None, is_compliant=None, unscored_reason="the model did not answer"
    )
    show_case(replace(row, edgar_url=None), [], [], is_full=False, as_json=False)
    shown = capsys.readouterr().out
    assert "Answer of m  none\n" in shown
    assert "Rating by j  none: the model did not answer\n" in shown


def test_a_case_as_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["prompt_prefix"] == ROW.prompt_prefix
    assert shown["details"] == {"edits": []}
    assert {"kind": "added", "text": "revenu"} in shown["query_difference"]
    assert {"kind": "quoted", "text": "Revenue was $5 million."} in shown["passages"][0]["parts"]


# --- a cell, a pair ----------------------------------------------------------------------


def test_a_cell_is_shown_with_its_bounds_and_its_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    show_cell(CELL, [unit(0, 1, 6, None), unit(None, 5, None), unit(1, 6, 6)], 2, as_json=False)
    shown = capsys.readouterr().out
    assert (
        "0.500; 95 % interval 0.100 to 0.900; n 2; 1 unscored; 0.333 if all of these had failed, 0.667"
        in shown
    )
    assert re.search(r"pair-1 │ What was revenue\? │ 1 ✗ +│ - +│ 6 +│ fails", shown)
    assert "1 more, none worse; --all lists them." in shown
    assert "tenkbench explain case-0 --model m --judge j\n" in shown


def test_a_cell_without_a_value_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    empty = replace(CELL, n=0, value=None, ci_low=None, ci_high=None, worst=0.0, best=1.0)
    show_cell(empty, [], None, as_json=False)
    assert "no value: n 0, 1 unscored" in capsys.readouterr().out


def test_a_pairs_cases_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    baseline = replace(ROW, case_id="case-0", perturbation="baseline", query=ROW.original_query, rating=6)
    show_pair([replace(baseline, is_compliant=True), ROW], as_json=False)
    shown = capsys.readouterr().out
    assert re.search(r"case-0 │ baseline +│ as it is +│ Hats sell well\. │ 6 of 6, compliant", shown)
    assert re.search(r"case-1 │ misspelled +│ What was \[-revenue-\]\{\+revenu\+\}\? +│ Hats", shown)


# --- untrusted text ----------------------------------------------------------------------

_TEXTS = (
    "answer",
    "query",
    "original_query",
    "target",
    "rationale",
    "prompt_prefix",
    "prompt_suffix",
    "judge_prompt_prefix",
    "judge_prompt_suffix",
    "citation_text",
    "company",
    "finish_reason",
    "model",
    "judge",
)
HOSTILE_ROW = replace(ROW, **dict.fromkeys(_TEXTS, HOSTILE))


def _shown_everywhere() -> None:
    hostile_passages = passages(HOSTILE, [(0, len(HOSTILE))])
    show_case(HOSTILE_ROW, hostile_passages, [word_differences(HOSTILE, "a")], is_full=True, as_json=False)
    show_case(HOSTILE_ROW, [], [], is_full=False, as_json=False)
    show_case(
        replace(HOSTILE_ROW, rating=None, unscored_reason=HOSTILE), [], [], is_full=False, as_json=False
    )
    show_pair([HOSTILE_ROW, HOSTILE_ROW], as_json=False)
    cell = replace(CELL, model=HOSTILE, judge=HOSTILE)
    show_cell(cell, [unit(0, 1, 2, query=HOSTILE), unit(None, None, query=HOSTILE)], None, as_json=False)


def test_no_control_character_of_a_model_reaches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    _shown_everywhere()
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\x9b\r\u202e\x00")
    assert "⟨U+001B⟩[2J" in shown
    assert "[bold red]bold[/bold red]" in shown  # as it was said, not as markup


def test_on_a_terminal_the_only_escapes_are_our_colours(terminal: io.StringIO) -> None:
    _shown_everywhere()
    shown = terminal.getvalue()
    assert "\x1b[" in shown
    assert not set(re.sub(r"\x1b\[[0-9;]*m", "", shown)) & set("\x1b\x07\x9b\r\u202e\x00")


@pytest.mark.parametrize(
    "field", ["answer", "rationale", "company", "finish_reason", "prompt_suffix", "query"]
)
def test_no_line_of_others_passes_for_one_of_ours(field: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = replace(ROW, **{field: "x\nRating by j  6 of 6, compliant"})
    show_case(row, [], [], is_full=False, as_json=False)
    ratings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Rating by")]
    assert ratings == ["Rating by j  2 of 6, not compliant"]


def test_on_a_terminal_changes_and_quotations_are_colours(terminal: io.StringIO) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=False)
    shown = terminal.getvalue()
    assert "[-" not in shown
    assert "«" not in shown
    assert re.search(r"\x1b\[[0-9;]*m?revenue\x1b\[0m\x1b\[[0-9;]*mrevenu\x1b\[0m", shown)


# --- the command -------------------------------------------------------------------------


def as_json(capsys: pytest.CaptureFixture[str], *tokens: str) -> Any:
    assert run("explain", *tokens, "--json") == 0
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
    case = as_json(capsys, worst["case_id"], *lake)
    assert (case["rating"], case["perturbation"]) == (worst["rating"], worst["perturbation"])
    assert case["citations"][0]["quote"] in "".join(
        part["text"] for passage in case["passages"] for part in passage["parts"]
    )
    assert case["prompt_suffix"].endswith(case["query"])
    assert case["company"]

    pair = as_json(capsys, case["qa_pair_id"], "--model", "extractive", *lake)
    assert worst["case_id"] in [each["case_id"] for each in pair]
    assert run("explain", worst["case_id"], *lake) == 0
    assert case["company"] in capsys.readouterr().out


def test_only_failures_are_listed_where_they_are_asked_for(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    found = as_json(capsys, "--metric", "robustness", "--failed", "--lake", finished.lake)
    assert {each["score"] for each in found["units"]} == {0}


@pytest.mark.parametrize(
    ("tokens", "says"),
    [
        ([], "explain takes either the id of a case or pair, or --metric"),
        (["case-1", "--metric", "robustness"], "explain takes either"),
        (["--metric", "robustnes"], "no metric 'robustnes'; there are robustness,"),
        (["--metric", "robustness", "--model", "gpt-9"], "no model 'gpt-9'; there are extractive"),
        (["--metric", "robustness", "--limit", "0"], "--limit must be at least 1"),
        (["case-1"], "no case and no pair of failsafeqa is 'case-1'; there are"),
    ],
)
def test_what_cannot_be_explained_ends_with_a_sentence(
    tokens: list[str], says: str, finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", *tokens, "--lake", finished.lake) == 2
    assert says in capsys.readouterr().err
