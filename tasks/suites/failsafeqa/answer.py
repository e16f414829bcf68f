"""The operations that answer a case from the document, or refuse.

Paper 000: greedy decoding, at most 2,048 new tokens. It prints no prompt. A prompt has the same
structure without a context.
"""

from __future__ import annotations

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.suites.shared.contexts import ContextInputs


def parse(reply: str) -> str:
    """Strip whitespace around the answer.

    Raises:
        ParseError: the answer is empty.
    """
    answer = reply.strip()
    if not answer:
        raise ParseError("the answer is empty")
    return answer


def _operation(name: str, template: str) -> Operation[ContextInputs, str]:
    return Operation(
        name=name,
        template=template,
        inputs=ContextInputs,
        parse=parse,
        sampling=Sampling(temperature=0.0, max_tokens=2048),
        may_be_cut=True,
    )


OPERATION = _operation("answer_neutral", "failsafeqa/neutral")
# By the option `prompt`. The coached prompt tells a model how to pass: another thing is measured.
OPERATIONS: dict[str, Operation[ContextInputs, str]] = {
    "neutral": OPERATION,
    "coached": _operation("answer_coached", "failsafeqa/coached"),
}
