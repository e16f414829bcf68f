"""JSON is found in any reply, and hostile replies take no time."""

from __future__ import annotations

import pytest

from tasks.text.json_replies import json_values


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ("", []),
        ("no JSON [at all] {here}", []),
        ('Here:\n```json\n{"a": [1, {"b": 2}]}\n```\nDone.', [{"a": [1, {"b": 2}]}]),
        ('[see 1] {"a": 1} and [2] {"b"', [{"a": 1}, [2]]),
        ('{"a": {"b": 1}', [{"b": 1}]),  # cut off: what is whole in it
        # half a surrogate pair cannot be written to a table; whole pairs are characters
        (
            r'{"\udc00a": ["\ud800 5%", "\uD83D\uDE00", "\\ud800", "\ud83d\ud83d\ude00"]}',
            [{"\ufffda": ["\ufffd 5%", "\U0001f600", r"\ud800", "\ufffd\U0001f600"]}],
        ),
        ('C:\\ {"a": "\ud800\\n"}', [{"a": "\ufffd\n"}]),
    ],
)
def test_finds_json_values_in_order(reply, values):
    assert list(json_values(reply)) == values


def test_parts_of_a_broken_object_are_values_unless_only_whole_ones_are_wanted():
    reply = 'In {x}: {"a": 1} {"b": {"c": 2}, "d'
    assert list(json_values(reply)) == [{"a": 1}, {"c": 2}]
    assert list(json_values(reply, whole=True)) == [{"a": 1}]


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', "[1,", "x[ "])
def test_long_run_of_brackets_is_not_json(piece):
    assert list(json_values(piece * 100_000)) == []
