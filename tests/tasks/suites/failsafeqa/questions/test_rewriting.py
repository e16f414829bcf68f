"""A rewritten query is one line that stands alone."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rewriting import parse


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ('```json\n{"query": "What were net sales?"}\n```', "What were net sales?"),
        ("Query: Elaborate on net sales in 2017.", "Elaborate on net sales in 2017."),
    ],
)
def test_reads_json_and_a_line(reply: str, query: str) -> None:
    assert parse(reply) == query


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n ",
        "What were net sales?",
        '{"query": "Sales?"}\n{"query": "Costs?"}',
        '{"query": "-"}',
    ],
)
def test_rejects_replies_without_one_query(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)


def test_rejects_answers() -> None:
    with pytest.raises(ParseError, match="answers the query"):
        parse('{"query": "The answer is 12 million."}')
