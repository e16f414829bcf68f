"""The rule that answers cases refuses if a document is missing or silent."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.answer import NO_DOCUMENT, NOT_IN_DOCUMENT, reply
from tasks.suites.failsafeqa.answer import Inputs

CONTEXT = (
    "Net sales of Wexcombe Mills were $4,100 thousand in 2017.\n\n"
    "The mill is located in Tarnford, Ontario."
)


@pytest.mark.parametrize("context", ["", "  \n\n "])
def test_asks_for_a_missing_document(context: str) -> None:
    assert reply(Inputs(context, "What were net sales in 2017?")) == NO_DOCUMENT


def test_refuses_if_the_document_has_no_answer() -> None:
    assert (
        reply(Inputs(CONTEXT, "Which lawsuits are pending against Orlestone Bank?"))
        == NOT_IN_DOCUMENT
    )


def test_answers_from_the_document() -> None:
    assert "$4,100 thousand" in reply(
        Inputs(CONTEXT, "What were net sales of Wexcombe Mills in 2017?")
    )
