"""The rule that answers a question as the models under test do, also blind."""

from __future__ import annotations

import json
import re
from typing import Protocol

from tasks.baseline.tablequest.reader import NOT_FOUND, read, said_in_words

# Questions that no one figure answers.
_ANALYTICAL = re.compile(
    r"\A(?:.*, )?(?:how (?!much|many)|why|which|analy[sz]e|assess|evaluate|discuss|explain|compare"
    r"|describe)\b|\bwhat (?:does|do|explains?|drove|suggests?)\b",
    re.IGNORECASE,
)


class Inputs(Protocol):
    """What a model under test is shown."""

    @property
    def context(self) -> str:
        """The snippet, its tables in any format."""

    @property
    def query(self) -> str:
        """The question."""


def is_analytical(query: str) -> bool:
    """Check whether a question asks for words rather than a figure."""
    return bool(_ANALYTICAL.search(query))


def reply(inputs: Inputs) -> str:
    """Answer by the words and figures of the tables."""
    if is_analytical(inputs.query):
        sentences = [*said_in_words(inputs.context, inputs.query)]
        steps = "These rows have the most words in common with the question."
        answer = " ".join(sentences) or NOT_FOUND
        return json.dumps({"steps": steps, "answer": answer}, ensure_ascii=False)
    found = read(inputs.context, inputs.query)
    return json.dumps({"steps": found.steps, "answer": found.answer}, ensure_ascii=False)
