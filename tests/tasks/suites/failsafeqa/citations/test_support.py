"""The operation that checks citations reads its verdict."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.inference.prompts import inputs_of
from tasks.suites.failsafeqa.citations.support import OPERATION, Inputs

CITATIONS = (
    "ACME MILLS, INC. FORM 10-K [...]\n-----\n[...] Net sales (in thousands) | 12,345 | 11,800 As "
    "of December 31, 2017, the Company employed approximately 29,500 persons under Rule 12b-2. "
    "Model X5 was sold for $3.2 million. [...]"
)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('{"reason": "It is there.", "verdict": "yes"}', True),
        ("Verdict: No", False),
    ],
)
def test_the_one_verdict_counts(reply: str, verdict: bool) -> None:
    assert OPERATION.parse(reply) is verdict


@pytest.mark.parametrize("reply", ["", "Verdict: maybe", "Verdict: yes\nVerdict: no"])
def test_a_reply_without_a_verdict_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match="verdict"):
        OPERATION.parse(reply)


def test_the_template_takes_the_operations_inputs() -> None:
    assert sorted(inputs_of(OPERATION.template)) == sorted(Inputs.__dataclass_fields__)
