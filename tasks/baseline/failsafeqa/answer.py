"""The rule that answers a case from the document, or refuses."""

from __future__ import annotations

from tasks.baseline.failsafeqa.reader import read
from tasks.suites.failsafeqa.answer import Inputs

NO_DOCUMENT = (
    "I cannot answer this question because the document is missing: there is no text between the "
    "document marks. Please provide the document, such as the company's annual report on Form "
    "10-K, and ask again."
)
NOT_IN_DOCUMENT = (
    "I cannot answer this question because the document does not contain the information. Please "
    "provide a document that covers the company and the period in question, or rephrase the "
    "question."
)


def reply(inputs: Inputs, *, is_bold: bool = False) -> str:
    """Answer from the document, or refuse and say what is missing."""
    if not inputs.context.strip():
        return NO_DOCUMENT
    return read(inputs.context, inputs.query, is_bold=is_bold) or NOT_IN_DOCUMENT


def bold_reply(inputs: Inputs) -> str:
    """Answer with the best match, however weak; refuse only if nothing matches."""
    return reply(inputs, is_bold=True)
