"""Questions on the figures of tables, and their perturbations by template, one a stratum.

A template has its lever and one or more of: `query`, the new question; `add`, a sentence that is
added to passages; `cut`, what is taken out of the tables that state the answer: another row, the
column, or all rows. The stratum's template stands for whichever lever is told, and says which one
it applies. Nothing is checked: it is a demonstration.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

from tasks.baseline.facts import UNCHECKED, facts_of, is_plural, owner_of
from tasks.core.ids import stable_id
from tasks.quantities.text_tables import TableRow, TextTable, find_tables
from tasks.suites.refusalbench.base.excerpts import HEAD
from tasks.suites.refusalbench.base.questions import MOST_FACTS, FactInputs
from tasks.suites.refusalbench.generation import GenerateInputs

_WHEN = r"(?P<time>(?:in|as of|at the end of fiscal) (?:\w+ \d{1,2}, )?\d{4})\?"
# As the free engine asks, and as another suite's question reads that names no company itself.
_FACTS = (
    re.compile(rf"What (?P<was>was|were) (?P<company>.+?)(?:'s|(?<=s)') (?P<measure>.+) {_WHEN}"),
    re.compile(
        r"According to the annual report of (?P<company>.+), "
        rf"what (?P<was>was|were) (?:the )?(?P<measure>.+) {_WHEN}"
    ),
)
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_PASSAGE = re.compile(r"^\[([SN]\d+)\]\n", re.MULTILINE)


def write_facts(inputs: FactInputs) -> str:
    """Ask for a few figures of a passage: the same ones of all passages that state them."""
    facts = [{"query": query, "answer": answer} for query, answer in questions_on(inputs.passage)]
    facts.sort(key=lambda fact: stable_id("fact", fact["query"]))
    return json.dumps({"questions": facts[:MOST_FACTS]})


def questions_on(passage: str) -> Iterator[tuple[str, str]]:
    """Yield question and figure for the facts of a passage that says whose it is."""
    if (head := HEAD.match(passage)) is None:
        return
    for fact in facts_of(passage):
        verb = "were" if is_plural(fact.label) else "was"
        at_end = fact.time.replace("in ", "at the end of fiscal ")
        times = {"flow": f"in {fact.year}", "balance": at_end}
        time = times.get(fact.measure.kind, fact.time)
        yield f"What {verb} {owner_of(head['company'])} {fact.label} {time}?", fact.value


@dataclass(frozen=True, slots=True)
class Template:
    """One way to perturb a question on a fact."""

    lever: str
    query: str = ""
    add: str = ""
    cut: Literal["", "another row", "column", "rows"] = ""


def generate(inputs: GenerateInputs) -> str:
    """Perturb a question: all signal passages, and the passage of noise that is most like them."""
    if (fields := _fields(inputs)) is None:
        return json.dumps({"lever_selected": "none"})
    template = templates()[inputs.stratum]
    _, *parts = _PASSAGE.split(inputs.passages)
    texts = {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}
    nearest = max(
        (name for name in texts if name.startswith("N")),
        key=lambda name: (
            texts[name].startswith(f"[{fields['company']}"),
            fields["measure"] in texts[name].lower(),
        ),
        default="",
    )
    changed = {
        name: _perturbed(template, text, fields)
        for name, text in texts.items()
        if name.startswith("S") or name == nearest
    }
    stays = any(fields["number"] in _NUMBER.findall(text) for text in changed.values())
    if stays and template.cut in ("column", "rows"):
        return json.dumps({"lever_selected": "none"})
    reply = {
        "implementation_reasoning": UNCHECKED,
        "lever_selected": template.lever,
        "perturbed_query": template.query.format_map(fields) or inputs.query,
        "perturbed_passages": [
            {"passage": name, "perturbed_text": text} for name, text in changed.items()
        ],
    }
    return json.dumps(reply, ensure_ascii=False)


def _fields(inputs: GenerateInputs) -> dict[str, str] | None:
    """Return what a template's braces stand for; None if the question is not of a fact."""
    fact = next(filter(None, (form.fullmatch(inputs.query) for form in _FACTS)), None)
    number = _NUMBER.search(inputs.answers)
    if fact is None or number is None:
        return None
    first = number[0][0]
    other = f"{int(first) + 1 if first < '9' else 7}{number[0][1:]}"
    tenfold = f"{Decimal(number[0].replace(',', '')) * 10:,f}"
    owner = owner_of(fact["company"])
    return {
        **fact.groupdict(),
        "company": owner.removesuffix("s").removesuffix("'"),
        "owner": owner,
        "is": "is" if fact["was"] == "was" else "are",
        "number": number[0],
        "answer": inputs.answers,
        "other": inputs.answers.replace(number[0], other, 1),
        "tenfold": inputs.answers.replace(number[0], tenfold, 1),
    }


def _perturbed(template: Template, text: str, fields: Mapping[str, str]) -> str:
    for table in reversed(find_tables(text) if template.cut else ()):
        text = _cut(text, table, template.cut, fields["number"])
    return f"{text}\n\n{template.add.format_map(fields)}" if template.add else text


def _cut(text: str, table: TextTable, cut: str, number: str) -> str:
    places = [
        (row, column)
        for row in table.rows
        for column, value in enumerate(row.values)
        if number in _NUMBER.findall(value)
    ]
    if not places:
        return text
    if cut == "column":
        return _without_columns(text, table, places)
    start, end = table.rows[0].start_char, table.end_char
    if cut == "another row":
        others = [row for row in table.rows if row not in [row for row, _ in places]]
        if not others:
            return text
        start, end = others[-1].start_char - 1, others[-1].end_char
    return (text[:start] + text[end:]).rstrip()


def _without_columns(text: str, table: TextTable, places: Sequence[tuple[TableRow, int]]) -> str:
    """Take columns out of a table with bars."""
    lines = text[table.start_char : table.end_char].split("\n")
    for size, column in sorted({(len(row.values), column) for row, column in places}, reverse=True):
        for number, line in enumerate(lines):
            cells = line.split("|")
            if len(cells) == size + 1:
                lines[number] = "|".join(cells[: column + 1] + cells[column + 2 :]).rstrip()
    return text[: table.start_char] + "\n".join(lines) + text[table.end_char :]


@cache
def templates() -> dict[str, Template]:
    """Return the template of each stratum, such as `ambiguity, low`."""
    file = files("tasks.baseline.refusalbench").joinpath("templates.toml")
    classes = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        f"{name}, {intensity}": Template(**template)
        for name, intensities in classes.items()
        for intensity, template in intensities.items()
    }
