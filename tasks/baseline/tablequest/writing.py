"""Rules that write a snippet's questions, round by round."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tasks.baseline.tablequest.drafts import (
    Draft,
    easy_drafts,
    hard_drafts,
    medium_drafts,
    warmup_drafts,
)
from tasks.baseline.tablequest.facts import Table, tables_of
from tasks.core.ids import stable_id

NOTHING = (
    "the tables have no figures whose row, period, unit and scale are certain enough to ask for"
)
_Drafts = Callable[[Sequence[Table], str, str], Iterator[Draft]]


class Inputs(Protocol):
    """What a writer is shown."""

    @property
    def context(self) -> str:
        """The snippet."""

    @property
    def company(self) -> str:
        """Whose report it is from; "" if unknown."""

    @property
    def year(self) -> str:
        """The report's year; "" if unknown."""

    @property
    def earlier(self) -> str:
        """The pairs so far, which are not to be asked again."""


def write_warmup(inputs: Inputs) -> str:
    """Ask what an underwriter asks first."""
    return _reply(warmup_drafts, inputs)


def write_easy(inputs: Inputs) -> str:
    """Ask for one cell."""
    return _reply(easy_drafts, inputs)


def write_medium(inputs: Inputs) -> str:
    """Ask for a calculation."""
    return _reply(medium_drafts, inputs)


def write_hard(inputs: Inputs) -> str:
    """Ask what several figures say together."""
    return _reply(hard_drafts, inputs)


def _reply(drafts: _Drafts, inputs: Inputs) -> str:
    tables = tables_of(inputs.context, inputs.year)
    found = [
        draft
        for draft in drafts(tables, inputs.company, inputs.year)
        if draft.question not in inputs.earlier
    ]
    if not found:
        return json.dumps({"question": "", "answer": "", "reason": NOTHING})
    chosen = min(found, key=lambda draft: _preference(draft, inputs))
    reply: dict[str, object] = {"question": chosen.question}
    if chosen.steps:
        reply["steps"] = chosen.steps
    if drafts is not warmup_drafts:
        reply["cells"] = [
            {
                "name": name,
                "table": fact.table,
                "row": fact.label,
                "column": fact.head,
                "value": fact.cell.text,
            }
            for name, fact in zip("ABCDEFGH", chosen.cells, strict=False)
        ]
    if chosen.calculation:
        reply["calculation"] = chosen.calculation
    return json.dumps({**reply, "answer": chosen.answer}, ensure_ascii=False)


def _preference(draft: Draft, inputs: Inputs) -> tuple[bool, bool, str]:
    """Order drafts: rows that were not asked for, then noun phrases, then by chance.

    The kind of question is drawn first, so that frequent kinds do not crowd out the others.
    """
    is_repeated = any(fact.name in inputs.earlier for fact in draft.cells)
    kind = stable_id("kind", inputs.context, draft.kind)
    return is_repeated, not draft.is_plain, kind + stable_id("draft", draft.question)
