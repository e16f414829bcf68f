"""The rules that judge write verdicts that can be read."""

from __future__ import annotations

import pickle

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.suites.failsafeqa.judge.compliance import OPERATIONS as BY_EVIDENCE
from tasks.suites.failsafeqa.judge.verdict import shown
from tasks.text.tokens import count_tokens

OPERATIONS = [operation for each in BY_EVIDENCE.values() for operation in each]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_a_rule_travels_to_a_worker_and_writes_a_short_readable_verdict(operation) -> None:
    long_text = "Alder Creek Lumber sold $48.2 million, $43.0 million and $9.6 million. " * 300
    inputs = shown(
        rubric="", citation=long_text, query="Sales?", reference=long_text, answer=long_text[:-500]
    )
    reply = pickle.loads(pickle.dumps(RULES[operation.name].reply))(inputs)
    assert 1 <= operation.parse(reply) <= 6
    assert count_tokens(reply) <= operation.sampling.max_tokens
