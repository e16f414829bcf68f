"""Write a haystack and its twin under one placement, with prompts of the budget's length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.core.ids import canonical_json
from tasks.core.rows import Case
from tasks.suites.longcontext.records.drawing import Asked
from tasks.suites.longcontext.records.layout import CannotFill, Layout, lay_out
from tasks.suites.longcontext.records.pool import Line, Pool
from tasks.suites.longcontext.records.prompt import prompt_of
from tasks.suites.longcontext.rows import Query
from tasks.suites.longcontext.wording import word_query
from tasks.text.tokens import count_tokens

# How far a prompt may stay below its budget, as a share.
SLACK = 0.005
# How often a text is filled anew, if its prompt has other tokens than the sum of its parts.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Text:
    """One haystack, and how each record's prompt shows it.

    Attributes:
        head_chars: characters that the records' siblings share; see `Case.details`.
        n_prompt: tokens of the prompt, by record.
    """

    lines: tuple[Line, ...]
    text: str
    head_chars: int
    n_prompt: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Texts:
    """A haystack, its twin without needles, and the numbers of what is placed in both."""

    layout: Layout
    own: Text
    twin: Text


def overhead_of(query: Query, placement: str, encoding: str) -> int:
    """Count the tokens of a prompt without articles."""
    return count_tokens(prompt_of(_case_to_count(query, placement, 0), ""), encoding)


def write_texts(
    pool: Pool,
    together: Sequence[Asked],
    negatives: Sequence[Line],
    background: Sequence[Line],
    *,
    placement: str,
    budget: int,
    encoding: str,
    seed: int,
) -> Texts:
    """Write the texts of records; their longest prompt is within the slack of the budget.

    Raises:
        CannotFill: the articles do not allow it.
    """
    first = together[0]
    needles = [needle for each in together for needle in each.needles]
    queries = [each.seen.query for each in together]
    slack = int(SLACK * budget)
    overheads = [overhead_of(query, placement, encoding) for query in queries]
    target = budget - max(overheads)
    for _ in range(_TRIES):
        layout = lay_out(
            pool,
            needles,
            negatives,
            background,
            target=target,
            slack=slack,
            draw=(seed, "places", first.planned.length, first.planned.number, queries[0].task),
        )
        same = min(layout.needles) - 1 if len(together) == 1 else None
        own, twin = (
            _counted(pool, lines, queries, placement, encoding, same)
            for lines in (layout.lines, layout.twin)
        )
        # prompts of one text differ by their queries: the longest counts
        counts = max(own.n_prompt), max(twin.n_prompt)
        if max(counts) <= budget and min(counts) >= budget - slack:
            return Texts(layout, own, twin)
        # tokens may join or part where the text meets the instruction
        target -= max(counts) - budget if max(counts) > budget else min(counts) - budget
    raise CannotFill("the prompts of a text differ too much in length")


def _counted(
    pool: Pool,
    lines: Sequence[Line],
    queries: Sequence[Query],
    placement: str,
    encoding: str,
    n_shared: int | None,
) -> Text:
    """Write a text of which siblings share so many lines, or all, and count its prompts."""
    text = pool.write(lines)
    head_chars = len(pool.write(lines[:n_shared]))
    counts = [
        count_tokens(prompt_of(_case_to_count(query, placement, head_chars), text), encoding)
        for query in queries
    ]
    return Text(tuple(lines), text, head_chars, tuple(counts))


def _case_to_count(query: Query, placement: str, head_chars: int) -> Case:
    """Make a case whose prompt is that of the case to come."""
    return Case(
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


def details_of(query: Query, head_chars: int) -> str:
    """Write a case's details: its query, and the characters that its siblings share."""
    return canonical_json({"query_id": query.query_id, "head_chars": head_chars})
