"""Questions on facts of a passage: figures of its tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tasks.baseline.facts import is_plural
from tasks.baseline.stated_cells import stated_cells
from tasks.core.ids import stable_rng
from tasks.quantities.text_tables import find_tables
from tasks.suites.refusalbench.base.excerpts import HEAD
from tasks.suites.refusalbench.base.questions import MOST_FACTS, FactInputs

# Figures of a part of the company or the year, and labels that a section or a note explains.
_OF_PART = re.compile(
    r"\b(?:months|quarters?|pro forma|parent|segments?|subsidiar\w+|unaudited|condensed|adjusted"
    r"|exclud\w+|per|shares|number)\b",
    re.IGNORECASE,
)
_IS_CUT = re.compile(r",\s|\(|\A\w+\Z")


def write_facts(inputs: FactInputs) -> str:
    """Ask for a few figures of a passage."""
    facts = [{"query": query, "answer": answer} for query, answer in facts_of(inputs.passage)]
    rng = stable_rng(0, "facts", inputs.passage)
    return json.dumps({"questions": rng.sample(facts, min(len(facts), MOST_FACTS))})


def facts_of(passage: str) -> Iterator[tuple[str, str]]:
    """Yield question and figure for the certain cells of a passage's tables.

    This is all that the suite reads of the free engine's facts.
    """
    head = HEAD.match(passage)
    owner = owner_of(head["company"]) if head else ""
    for table in find_tables(passage) if owner else ():
        for row, cells in stated_cells(table):
            where = f"{table.caption} {row.section} {row.label}"
            if _IS_CUT.search(row.label) or _OF_PART.search(where):
                continue
            measure = row.label.lower()
            verb = "were" if is_plural(measure) else "was"
            asks = f"What {verb} {owner} {measure}"
            for cell in cells:
                is_share = cell.value.endswith("%") and "%" in row.values[cell.column]
                if cell.value[0] != "-" and (is_share or "$" in cell.value):
                    yield f"{asks} {cell.time}?", cell.value


def owner_of(company: str) -> str:
    """Write a company's name as an owner: `Apple's`, `Williams'`."""
    return f"{company}'" if company.endswith("s") else f"{company}'s"
