"""`tenkbench explain` shows a case, and nothing that a model says runs on the terminal."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

import flows.cli.views.case
from flows.cli.views.case import show_case, show_pair
from tasks.results.explain.explain import Changed, Explained
from tasks.text.differences import word_differences
from tasks.text.passages import passages

# Clears the screen, renames the window, rings, hides, overwrites, turns the line, opens markup.
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x9b8m\rRating by the judge  6 "
    "of 6\u202e\x00 [bold red]bold[/bold red]\n  6 of 6, compliant"
)

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
        "variant": "misspelled",
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


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal with colours, and what is written on it."""
    written = io.StringIO()
    console = Console(
        file=written, force_terminal=True, color_system="standard", width=100, no_color=False
    )
    monkeypatch.setattr(flows.cli.views.case, "console", lambda: console)
    return written


# --- a case ------------------------------------------------------------------------------


MASKED = replace(
    ROW,
    suite="faith",
    variant="baseline",
    rating=None,
    label="wrong",
    query="Sales rose by [MASK].",
    original_query="Sales rose by [MASK].",
    traits={"mask_type": "C", "scenario": "no derivation", "unit": "percent"},
    answer='{"results": {"answer": "5%"}}',
    answer_read="5%",
    target="4 %",
    form="dataset",
    company=None,
    cik="893538",
    source_uri="pilot.json#report=4",
    filing_id="sha-e6dcbbc8d3e10d27",
)

SHORT = replace(ROW, prompt_prefix="FIRST ")
BORROWED = replace(SHORT, query="How many hats?", is_answerable=False, variant="irrelevant_context")
DONOR = '{"donor_filing_id": "sha-1", "donor_qa_pair_id": "pair-9"}'
CHANGED = [word_differences("Revenue was", "Revnue was")]
SHOWN = {
    "misspelled": (ROW, PASSAGES, []),
    "a question of another filing": (replace(BORROWED, details=DONOR), PASSAGES, []),
    "scanned": (replace(SHORT, context_id="scan", context_kind="ocr"), PASSAGES, CHANGED),
    "no answer": (
        replace(
            SHORT,
            answer=None,
            rating=None,
            is_compliant=None,
            rationale=None,
            unscored_reason="the model did not answer",
            edgar_url=None,
        ),
        PASSAGES,
        [],
    ),
    "published figure": (replace(MASKED, prompt_prefix="FIRST "), [], []),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_case_is_shown_from_its_query_down_to_its_filing(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.setattr(flows.cli.views.case, "console", lambda: Console(width=80))
    row, cited, copies = SHOWN[name]
    show_case(row, cited, copies, is_full=False, as_json=False)
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize("url", [None, "https://www.sec.gov/Archives/edgar/data/2/invented.htm"])
def test_a_sample_is_called_invented_instead_of_linked(
    url: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    row = replace(ROW, source_uri="tillamere-1997.txt", edgar_url=url)
    show_case(row, PASSAGES, [], is_full=False, as_json=False)
    shown = capsys.readouterr().out
    assert "not on EDGAR: a sample filing of an invented company" in shown
    assert "https://www.sec.gov" not in shown
    assert "address unknown" not in shown


def test_a_case_changed_on_purpose_shows_the_change_and_what_is_wanted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = replace(SHORT, suite="refusalbench", is_answerable=False, variant="contradiction_high")
    long = "".join(f"Cost {number} fell. " for number in range(130))
    changed = Changed(
        "It refuses with the code REFUSE_X.",
        (
            ("Passage 1", word_differences(f"{long}It was 5. {long}", f"{long}It was 6. {long}")),
            ("Passage 2", word_differences(long, long)),
        ),
    )
    show_case(row, PASSAGES, [], changed=changed, is_full=False, as_json=False)
    shown = capsys.readouterr().out
    assert "Target\n  │ It refuses with the code REFUSE_X." in shown
    assert "lacks this" not in shown
    first, second = shown.split("Passage 1, as shown to the model")[1].split("Passage 2, as shown")
    assert "[-5-]{+6+}" in " ".join(first.split())
    assert "--full shows them" in second
    for said in ("that the document shown does not answer", "own query", "another text"):
        assert said not in shown
    show_case(row, PASSAGES, [], changed=changed, is_full=False, as_json=True)
    found = json.loads(capsys.readouterr().out)["changed"]
    assert found["wanted"] == changed.wanted
    assert {piece["kind"] for piece in found["passages"][0][1]} == {"kept", "removed", "added"}


def test_prompts_are_folded_unless_all_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=False)
    folded = capsys.readouterr().out
    show_case(ROW, PASSAGES, [], is_full=True, as_json=False)
    full = capsys.readouterr().out
    for shown in (folded, full):
        assert "FIRST" in shown
        assert "LAST" in shown
    assert (folded.count("long"), full.count("long")) == (folded.count("long"), 1000)
    assert folded.count("long") < 400
    assert ("RUBRIC" in folded, "RUBRIC" in full) == (False, True)


def test_a_case_as_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    show_case(ROW, PASSAGES, [], is_full=False, as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["prompt_prefix"] == ROW.prompt_prefix
    assert shown["details"] == {"edits": []}
    assert {"kind": "added", "text": "revenu"} in shown["query_difference"]
    assert {"kind": "quoted", "text": "Revenue was $5 million."} in shown["passages"][0]["parts"]


# --- a pair ------------------------------------------------------------------------------


def test_a_pairs_cases_stand_below_each_other(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    baseline = replace(
        ROW, case_id="case-0", variant="baseline", query=ROW.original_query, rating=6
    )
    show_pair([replace(baseline, is_compliant=True), ROW], as_json=False)
    assert capsys.readouterr().out == snapshot


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
    show_case(
        HOSTILE_ROW, hostile_passages, [word_differences(HOSTILE, "a")], is_full=True, as_json=False
    )
    show_case(HOSTILE_ROW, [], [], is_full=False, as_json=False)
    show_case(
        replace(HOSTILE_ROW, rating=None, unscored_reason=HOSTILE),
        [],
        [],
        is_full=False,
        as_json=False,
    )
    show_pair([HOSTILE_ROW, HOSTILE_ROW], as_json=False)


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
def test_no_line_of_others_passes_for_one_of_ours(
    field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = replace(ROW, **{field: "x\nRating by j  6 of 6, compliant"})
    show_case(row, [], [], is_full=False, as_json=False)
    ratings = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith("Rating by")
    ]
    assert ratings == ["Rating by j  2 of 6, not compliant"]
