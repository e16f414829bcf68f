"""Rules that write a snippet's questions, round by round."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Protocol

from tasks.baseline.tablequest.drafts import TEMPLATES, Draft, drafts_of
from tasks.core.ids import stable_id
from tasks.suites.tablequest.rows import Level

NOTHING = (
    "the tables have no figures whose row, period, unit and scale are certain enough to ask for"
)


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
    """Ask what an underwriter would ask first."""
    return _write("warmup", inputs)


def write_easy(inputs: Inputs) -> str:
    """Ask for a cell."""
    return _write("easy", inputs)


def write_medium(inputs: Inputs) -> str:
    """Ask for a calculation from cells."""
    return _write("medium", inputs)


def write_hard(inputs: Inputs) -> str:
    """Ask for an analysis."""
    return _write("hard", inputs)


def _write(level: Level, inputs: Inputs) -> str:
    drafts = drafts_of(level, inputs.context, inputs.company, inputs.year)
    found = [draft for draft in drafts if draft.question not in inputs.earlier]
    if not found:
        return json.dumps({"question": "", "answer": "", "reason": NOTHING})
    return _written(min(found, key=lambda draft: _preference(draft, inputs)))


def _written(draft: Draft) -> str:
    reply: dict[str, object] = {"question": draft.question}
    if draft.template.values:
        reply["steps"] = draft.steps
    if draft.template.level != "warmup":
        reply["cells"] = [
            {**asdict(fact.named), "name": name}
            for name, fact in zip("ABCD", draft.cells, strict=False)
        ]
    if draft.calculation:
        reply["calculation"] = draft.calculation
    return json.dumps({**reply, "answer": draft.answer}, ensure_ascii=False)


def _preference(draft: Draft, inputs: Inputs) -> tuple[bool, str, str]:
    """Order drafts: first rows that were not asked for, then by chance.

    The template is drawn first, so that frequent ones do not crowd out the others.
    """
    is_repeated = any(fact.name in inputs.earlier for fact in draft.cells)
    kind = stable_id("kind", inputs.context, str(TEMPLATES.index(draft.template)))
    return is_repeated, kind, stable_id("draft", draft.question)
