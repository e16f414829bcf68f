"""A rewritten query is one line that stands alone."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rewriting import parse


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("Rewritten question: What were net sales?", "What were net sales?"),
        ('<query>\n"What were net sales in 2017?"\n</query>', "What were net sales in 2017?"),
        ('```json\n{"query": "What were net sales?"}\n```', "What were net sales?"),
        ("Query: Elaborate on net sales in 2017.", "Elaborate on net sales in 2017."),
    ],
)
def test_strips_quotes_labels_and_fences(reply: str, query: str) -> None:
    assert parse(reply) == query


@pytest.mark.parametrize(
    "reply",
    ["", "  \n ", "What were net sales?", "<query>What were net sales?\nAnd costs?</query>"],
)
def test_rejects_empty_unmarked_and_multiline_replies(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("<query>I'm sorry, but I cannot help with that.</query>", "refuses"),
        ("<query>The answer is 12 million.</query>", "answers the query"),
    ],
)
def test_rejects_refusals_and_answers(reply: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse(reply)
