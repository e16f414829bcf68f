"""What TableQuest's judges share: when no model is asked, and how a verdict is read."""

from __future__ import annotations

from tasks.core.rows import Sampling
from tasks.suites.judge import Answered
from tasks.suites.tablequest.judge.reading import read_answer

SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
CORRECT, WRONG = "correct", "wrong"
EMPTY = "the reply has no answer"
# Why a judge leaves a question to others, and which of them takes it.
ANALYSIS = "an analysis; --judge critique=MODEL or pairwise=MODEL judges it"
WORDS = "a reference in words; --judge accuracy=MODEL judges it"


def is_empty(thing: Answered) -> bool:
    """Tell whether a model replied, and gave no answer: no judge is asked whether it is right."""
    return thing.response.status == "ok" and not read_answer(thing.text).answer
