"""Replies are read as a careful person reads them, and no ID is invented."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.core.rows import Case, Judgement, QAPair
from tasks.inference import prompts
from tasks.suites.judge import Answered
from tasks.suites.longcontext.judge import JUDGES, read_ids
from tests.some import some
from tests.sql.conftest import OK_RESPONSE, answer_request

FILE = Path(__file__).parents[3] / "inference" / "replies.toml"
REPLIES = tomllib.loads(FILE.read_text(encoding="utf-8"))["replies"]
SINGLE = [each for each in REPLIES if each["operation"] == "answer_single"]
LISTS = [each for each in REPLIES if each["operation"] == "answer_best_practices"]


def judged(reply: dict[str, Any], judge: str = "strict") -> dict[str, Any]:
    """Return the details of a judge's row about a reply."""
    details: dict[str, Any] = json.loads(row_of(reply, judge).details or "")
    return details


def row_of(reply: dict[str, Any], judge: str = "strict") -> Judgement:
    """Judge a reply about a text without needles, or about an article that fits."""
    is_single = reply["operation"] == "answer_single"
    case = Case(
        case_id="c", qa_pair_id="p", suite="longcontext",
        variant="single" if is_single else "best_practices", query="Which?", context_id="t",
        target="yes" if is_single else "[]", is_answerable=True,
    )  # fmt: skip
    answered = Answered(
        case=case,
        pair=QAPair(qa_pair_id="p", context_id="t", query="", answer="", task="company"),
        request=answer_request(case),
        response=replace(
            OK_RESPONSE,
            text=reply["reply"],
            finish_reason="length" if reply.get("cut") else "stop",
        ),
        judge=judge,
    )
    (row,) = JUDGES[judge].run([answered], None, None)
    return row


@pytest.mark.parametrize("reply", LISTS, ids=lambda each: each["style"])
def test_a_list_is_read_as_a_person_reads_it(reply: dict[str, Any]) -> None:
    found = judged(reply)
    assert found["ids"] == sorted(reply.get("reads", []))
    assert (found["kind"] == "none") == ("reads" not in reply)


@pytest.mark.parametrize("reply", SINGLE, ids=lambda each: each["style"])
def test_a_verdict_is_read_as_a_person_reads_it(reply: dict[str, Any]) -> None:
    said = {True: "yes", False: "no"}.get(reply.get("reads"))  # type: ignore[arg-type]
    assert judged(reply)["said"] == said


@pytest.mark.parametrize("reply", LISTS, ids=lambda each: each["style"])
def test_both_readers_agree_on_json_with_ids(reply: dict[str, Any]) -> None:
    strict, paper = (read_ids(reply["reply"], reader) for reader in ("strict", "paper"))
    if strict.kind == "json":
        assert paper == strict
    assert judged(reply, "paper")["ids"] == sorted(set(paper.listed))


@pytest.mark.parametrize(
    ("text", "strict", "paper"),
    [
        ("```json\n[]\n```", "correct", "correct"),
        ("OUTPUT: []", "correct", "correct"),
        ('OUTPUT: "article_ids": "[]"', "correct", "correct"),
        ('```\n{"article_ids": []}\n```', "correct", "correct"),
        ("None of the articles match.", "correct", "correct"),
        ("None of the 116 articles match.", "correct", "wrong"),  # figure 8 reads 116
        ("I cannot search so many articles.", "unreadable", "correct"),  # and nothing here
        ("", "unreadable", "unreadable"),
        (" \n", "unreadable", "unreadable"),
        ("<think>Article 4?</think>", "unreadable", "unreadable"),
    ],
)
def test_on_a_text_without_needles_paper_is_figure_8(text: str, strict: str, paper: str) -> None:
    reply = {"operation": "answer_both", "reply": text}
    rows = [row_of(reply, judge) for judge in ("strict", "paper")]
    assert [row.label for row in rows] == [strict, paper]
    assert all((row.rationale is not None) == (row.label == "unreadable") for row in rows)


@pytest.mark.parametrize("placement", ["prepend", "append", "both", "best_practices"])
def test_the_prompts_example_names_no_article_of_a_text(placement: str) -> None:
    prompt = prompts.read_template(f"longcontext/{placement}")
    example, none = re.findall(r"^\{\".*\}$", prompt, re.MULTILINE)[:2]
    assert not re.search(r"\d", prompt)
    assert read_ids(example, "strict").kind == "none"  # a model that repeats it has no answer
    assert read_ids(none, "strict") == ([], "json")


@pytest.mark.parametrize("text", ["", "It is hard to say.", '{"fits": "unclear"}'])
def test_an_unreadable_reply_about_one_article_is_wrong(text: str) -> None:
    row = row_of({"operation": "answer_single", "reply": text})
    assert (row.label, row.unscored_reason) == ("unreadable", None)


def test_no_reply_that_is_cut_anywhere_has_an_id_that_the_whole_one_lacks() -> None:
    drafts = ("the last counts",)  # a cut one leaves the draft
    whole = [
        each
        for each in LISTS
        if "reads" in each and not any(words in each["style"] for words in drafts)
    ]
    invented = [
        (cut, ids)
        for each in some(whole)
        for end in range(len(each["reply"]))
        if (ids := judged({**each, "reply": (cut := each["reply"][:end]), "cut": True})["ids"])
        and not set(ids) <= set(each["reads"])
    ]
    assert not invented


@pytest.mark.parametrize(
    "piece", ["12 and ", "12, ", "[", '{"', "ids: [1, ", "- Article ID: 1; ", "// \n,", "no ", " "]
)
def test_a_long_reply_takes_no_long_time(piece: str) -> None:
    text, start = piece * (16_000 // len(piece)), process_time()
    for reply in (text, f"ids: [{text}", f"No articles {text}"):
        read_ids(reply, "strict")
        judged({"operation": "answer_single", "reply": reply})
    assert process_time() - start < 3
