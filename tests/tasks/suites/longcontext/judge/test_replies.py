"""Replies are read as a careful person reads them, and no ID is invented."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.core.rows import Judgement, QAPair
from tasks.inference import prompts
from tasks.suites.longcontext.judge import JUDGES, classify, read_ids
from tests.answered import answered_case
from tests.some import some

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
    answered = answered_case(
        "longcontext",
        QAPair(qa_pair_id="p", context_id="t", query="Which?", answer="", task="company"),
        reply["reply"],
        judge=judge,
        response={"finish_reason": "length" if reply.get("cut") else "stop"},
        variant="single" if is_single else "best_practices",
        target="yes" if is_single else "[]",
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


DIGITS_AND_COMMAS = frozenset("0123456789,")


def figure_8(reply: str) -> set[int]:
    """What the paper's appendix A.3 does to a reply that is no JSON."""
    kept = "".join(each for each in reply if each in DIGITS_AND_COMMAS)
    return {int(each) for each in kept.split(",") if each}


def replies(n: int) -> Iterator[tuple[str, set[int]]]:
    """Yield replies that no JSON parser reads whole, each with the IDs that it really lists."""
    drawn = random.Random(17)
    for _ in range(n):
        ids = [drawn.randint(1, 4010) for _ in range(drawn.randint(1, 12))]
        quoted = json.dumps([str(each) for each in ids])
        bare = json.dumps(ids)
        noise = f"{drawn.randint(2000, 2026)}, of {drawn.randint(100, 4010)} articles"
        whole = drawn.choice([quoted, bare, quoted.replace('"', "'")])
        cut = drawn.randint(1, len(quoted) - 1)
        yield drawn.choice(
            [
                (f'"article_ids": {whole}', set(ids)),
                (f'OUTPUT: {{"article_ids": {quoted}}}', set(ids)),
                (f'```json\n{{"article_ids": {bare}}}\n```', set(ids)),
                (f'I looked at {noise}. {{"article_ids": {quoted}}} fit in {noise}.', set(ids)),
                (f'Result: {{"found": {{"article_ids": {bare}}}}}', set(ids)),
                (f"The articles of {noise} are {bare[1:-1]}.", set()),
                (f"No article fits among {noise}.", set()),
                (f'{{"article_ids": {quoted[:cut]}', complete(quoted[:cut])),
                (f'{{"article_ids": {bare[:-1]}, {"7, " * 40}71', {*ids, 7}),
            ]
        )  # fmt: skip


def complete(cut: str) -> set[int]:
    """List the quoted IDs of a cut list that have both their quotes."""
    return {int(each) for each in re.findall(r'"(\d+)"', cut)}


DRAWN = list(replies(500))


def test_paper_reader_does_what_figure_8_does_to_500_replies() -> None:
    differing = [
        reply for reply, _ in DRAWN if set(read_ids(reply, "paper").listed) != figure_8(reply)
    ]
    assert not differing


@pytest.mark.parametrize("depth", [300, 600, 900, 5_000])
def test_lists_in_lists_end_no_run(depth: int) -> None:
    for each in (f"{'[{}, ' * depth}1{']' * depth}", f"{'[[1],' * depth}", '{"a":' * depth):
        assert read_ids(f"Here: {each}", "strict").kind in ("fallback", "none")
        read_ids(each, "paper")


@pytest.mark.parametrize(
    ("reply", "is_cut", "expected"),
    [
        ('{"article_ids": []}', False, "empty"),
        (f'{{"article_ids": {[*range(640, 660)]}', True, "counting"),
        (f'{{"article_ids": ["27", {", ".join(["715"] * 40)}', True, "repeating"),
        ('{"article_ids": ["4", "27", "9', True, "cut"),
        ("I am sorry, but I cannot search so many articles.", False, "unreadable"),
        ('{"article_ids": ["4", "5", "6", "7"]}', False, "ids"),
        ('{"article_ids": ["4", "4", "27"]}', False, "ids"),
    ],
)
def test_replies_are_told_apart(reply: str, is_cut: bool, expected: str) -> None:
    assert classify(read_ids(reply, "strict"), is_cut=is_cut) == expected
