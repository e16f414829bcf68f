"""How a query is worded in prompts: one sentence, and a definition of each concept."""

from __future__ import annotations

from tasks.inference import prompts
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.rows import Query

FILES = tuple(f"{task.prompt}.txt" for task in TASKS.values())


def word_query(query: Query) -> str:
    """Word a query: the sentence in the first line, then one definition a line."""
    template = TASKS[query.task].prompt
    inputs = {name: str(getattr(query, name)) for name in prompts.inputs_of(template)}
    worded = prompts.fill(template, inputs)
    return f"{worded.prefix.strip()}\n{worded.suffix.strip()}"
