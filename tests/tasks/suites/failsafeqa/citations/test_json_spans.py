"""Citations as JSON: readable and unreadable replies, and bad runs as in LongCite."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.citations.json_spans import read_reply, tagged
from tasks.suites.failsafeqa.citations.statements import cited_spans

CONTEXT = (
    "Sales rose. Costs fell.\n\nUnits sold | 1993 | 1992\n"
    "Cars | 12 | 11\n\nThe Company owns a mill."
)
GOOD = {"statements": [{"statement": "Sales rose.", "citation": [[0, 0], [2, 3]]}]}
READ = (((0, 0), (2, 3)),)


def test_sentences_and_rows_are_tagged_with_the_spacing_between_them() -> None:
    assert tagged(CONTEXT)[0] == (
        "<S0>Sales rose. <S1>Costs fell.\n\n<S2>Units sold | 1993 | 1992\n<S3>Cars | 12 | 11\n\n"
        "<S4>The Company owns a mill."
    )
    assert tagged("") == ("", [])


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(GOOD),
        json.dumps(GOOD, indent=2),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here is {{the}} answer [as asked]:\n{json.dumps(GOOD)}\nI hope that helps.",
        json.dumps(GOOD["statements"]),
        '{"statements": [{"statement": "Sales rose.", "citation": [[0], [2, 3]]}]}',
    ],
)
def test_reads_replies_in_any_wrapping(reply: str) -> None:
    assert read_reply(reply) == READ


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "[[1, 2]]",
        '{"answer": 3}',
        json.dumps(GOOD)[:-3],
        "[" * 5000,
        f'{{"statements": {"9" * 5000}}}',
    ],
)
def test_a_reply_without_statements_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match="no JSON object with statements"):
        read_reply(reply)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["statements", "statement", "citation"]), inner)
        ),
    )
)
def test_any_json_is_read_or_refused_as_unreadable(value: object) -> None:
    with contextlib.suppress(ParseError):  # any other exception is a failure
        for runs in read_reply(json.dumps(value)):
            cited_spans(runs, tagged(CONTEXT)[1])
