"""The operations that answer a case: an answer or a code, alone or with a level of confidence.

Paper 003, section 4.1 and appendix F.2.
"""

from __future__ import annotations

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.suites.shared.contexts import ContextInputs


def _operation(name: str) -> Operation[ContextInputs, str]:
    return Operation(
        name=name,
        template=f"refusalbench/{name}",
        inputs=ContextInputs,
        parse=str.strip,
        # the paper's (appendix J)
        sampling=Sampling(temperature=1.0, max_tokens=512, top_p=1.0),
        may_be_cut=True,
    )


# By the trait `prompt` of a case.
OPERATIONS = {"plain": _operation("answer"), "confidence": _operation("answer_confidence")}
