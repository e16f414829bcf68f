"""The operations that answer a case: an answer or a code, alone or with a level of confidence.

Paper 003, section 4.1 and appendix F.2.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation


@dataclass(frozen=True, slots=True)
class PassageInputs:
    """The prompt's inputs: the passages and the question."""

    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> PassageInputs:
        """Show a case's question and its passages."""
        return cls(context=context, query=case.query)


def _operation(name: str) -> Operation[PassageInputs, str]:
    return Operation(
        name=name,
        template=f"refusalbench/{name}",
        inputs=PassageInputs,
        parse=str.strip,
        # the paper's (appendix J)
        sampling=Sampling(temperature=1.0, max_tokens=512, top_p=1.0),
        may_be_cut=True,
    )


# By the trait `prompt` of a case.
OPERATIONS = {"plain": _operation("answer"), "confidence": _operation("answer_confidence")}
