"""Write a haystack and its twin under one placement, with prompts of the budget's length."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tasks.core.ids import canonical_json
from tasks.core.rows import Case
from tasks.inference import prompts
from tasks.suites.longcontext.answer import OPERATIONS
from tasks.suites.longcontext.records.drawing import Draft
from tasks.suites.longcontext.records.layout import CannotFill, lay_out
from tasks.suites.longcontext.records.pool import Line, Pool
from tasks.suites.longcontext.rows import Query
from tasks.suites.longcontext.text import word_query
from tasks.text.tokens import count_tokens

# How far a prompt may stay below its budget, as a share.
SLACK = 0.005
# How often a text is filled anew, if its prompt has other tokens than the sum of its parts.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Text:
    """One haystack.

    Attributes:
        head_chars: characters that the record's siblings share; see `Case.details`.
        n_prompt: tokens of the prompt.
        needles: number of each of the record's needles; none in the twin.
        negatives: number of each hard negative.
    """

    lines: tuple[Line, ...]
    text: str
    head_chars: int
    n_prompt: int
    needles: tuple[int, ...]
    negatives: tuple[int, ...]


def overhead_of(query: Query, placement: str, encoding: str) -> int:
    """Count the tokens of a prompt without articles."""
    return _count(query, placement, "", 0, encoding)


def write_texts(
    pool: Pool, draft: Draft, *, placement: str, budget: int, encoding: str, seed: int
) -> tuple[Text, Text]:
    """Write a record's text and its twin without needles, with prompts of the budget's length.

    Raises:
        CannotFill: the articles do not allow it.
    """
    query, planned = draft.candidates.query, draft.planned
    slack = int(SLACK * budget)
    target = budget - overhead_of(query, placement, encoding)
    for _ in range(_TRIES):
        layout = lay_out(
            pool,
            draft.needles,
            [line for _, line in draft.negatives],
            draft.background,
            target=target,
            slack=slack,
            draw=(seed, "places", planned.length, planned.number, query.task),
        )
        n_shared = min(layout.needles) - 1
        texts = []
        for lines, needles in ((layout.lines, layout.needles), (layout.twin, ())):
            text, head_chars = pool.write(lines), len(pool.write(lines[:n_shared]))
            n_prompt = _count(query, placement, text, head_chars, encoding)
            texts.append(Text(lines, text, head_chars, n_prompt, needles, layout.negatives))
        own, twin = texts
        counts = own.n_prompt, twin.n_prompt
        if max(counts) <= budget and min(counts) >= budget - slack:
            return own, twin
        # tokens may join or part where the text meets the instruction
        target -= max(counts) - budget if max(counts) > budget else min(counts) - budget
    raise CannotFill("the prompts of a text differ too much in length")


def _count(query: Query, placement: str, text: str, head_chars: int, encoding: str) -> int:
    """Count the tokens of the prompt of a case to come."""
    case = Case(
        case_id="",
        qa_pair_id="",
        suite="",
        variant=placement,
        query=word_query(query),
        context_id=None,
        target="",
        is_answerable=True,
        details=details_of(query, head_chars),
    )
    return count_tokens(prompt_of(case, text), encoding)


def prompt_of(case: Case, text: str) -> str:
    """Return the prompt that asks a case about a text."""
    operation = OPERATIONS[case.variant]
    prompt = prompts.fill(operation.template, asdict(operation.inputs.of(case, text)))
    return prompt.prefix + prompt.suffix


def details_of(query: Query, head_chars: int) -> str:
    """Write a case's details: its query, and the characters that its siblings share."""
    return canonical_json({"query_id": query.query_id, "head_chars": head_chars})
