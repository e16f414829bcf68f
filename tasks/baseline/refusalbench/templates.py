"""Perturbations by template, one a stratum, of the questions that `facts` writes.

A template has its lever and one or more of: `query`, the new question; `add`, a sentence that is
added to passages; `edit`, a function of this file that changes passages with the answer. What a
class keeps is taken from the original by the suite. Nothing is checked: it is a demonstration.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.baseline.refusalbench.judging import UNCHECKED
from tasks.quantities.text_tables import find_tables
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.generation.operations import GenerateInputs
from tasks.suites.refusalbench.strata import ANSWER

_WHEN = r"(?P<time>(?:in|as of) (?:\w+ \d{1,2}, )?\d{4})\?"
# As the free engine asks, and as another suite's question reads that names no company itself.
_FACTS = (
    re.compile(rf"What (?P<was>was|were) (?P<company>.+?)(?:'s|(?<=s)') (?P<measure>.+) {_WHEN}"),
    re.compile(
        r"According to the annual report of (?P<company>.+), "
        rf"what (?P<was>was|were) (?:the )?(?P<measure>.+) {_WHEN}"
    ),
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_PASSAGE = re.compile(r"^\[([SN])\d+\]\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Template:
    """One way to perturb a question on a fact."""

    lever: str
    query: str = ""
    add: str = ""
    edit: str = ""


def generate_single(inputs: GenerateInputs) -> str:
    """Perturb a question on one passage."""
    fields = _fields(inputs)
    if fields is None:
        return json.dumps({"lever_selected": "none"})
    template = _template(inputs.stratum)
    text = _perturbed(inputs.passages, template, fields)
    return _reply(inputs, template, fields, perturbed_context=text)


def generate_multi(inputs: GenerateInputs) -> str:
    """Perturb a question on several passages."""
    fields = _fields(inputs)
    if fields is None:
        return json.dumps({"lever_selected": "none"})
    template = _template(inputs.stratum)
    _, *parts = _PASSAGE.split(inputs.passages)
    passages = [*zip(parts[::2], (part.strip("\n") for part in parts[1::2]), strict=True)]
    signal = [text for kind, text in passages if kind == "S"]
    noise = [text for kind, text in passages if kind == "N"]
    return _reply(
        inputs,
        template,
        fields,
        perturbed_signal_passages=[
            {"original_index": index, "perturbed_text": _perturbed(text, template, fields)}
            for index, text in enumerate(signal)
        ],
        perturbed_noise_passages=[
            {"original_index": 0, "perturbed_text": _perturbed(noise[0], template, fields)}
        ],
    )


def _fields(inputs: GenerateInputs) -> dict[str, str] | None:
    """Return what a template's braces stand for; None if the question is not of a fact."""
    fact = next(filter(None, (form.fullmatch(inputs.query) for form in _FACTS)), None)
    number = _NUMBER.search(inputs.answers)
    if fact is None or number is None:
        return None
    first = number[0][0]
    other = f"{int(first) + 1 if first < '9' else 7}{number[0][1:]}"
    hundredfold = f"{Decimal(number[0].replace(',', '')) * 100:,f}"
    return {
        **fact.groupdict(),
        "answer": inputs.answers,
        "other": inputs.answers.replace(number[0], other, 1),
        "hundredfold": inputs.answers.replace(number[0], hundredfold, 1),
    }


def _perturbed(text: str, template: Template, fields: Mapping[str, str]) -> str:
    if template.edit:
        text = EDITS[template.edit](text, fields["answer"])
    return f"{text}\n\n{template.add.format_map(fields)}" if template.add else text


def _reply(
    inputs: GenerateInputs, template: Template, fields: Mapping[str, str], **passages: Any
) -> str:
    reply = {
        "lever_selected": template.lever,
        "implementation_reasoning": UNCHECKED,
        "perturbed_query": template.query.format_map(fields) or inputs.query,
        **passages,
        "intensity_achieved": inputs.stratum.partition(", ")[2].upper(),
        "answer_constraint_satisfied": inputs.expected == ANSWER,
        "expected_rag_behavior": inputs.expected,
    }
    return json.dumps(reply, ensure_ascii=False)


def drop_another_line(text: str, answer: str) -> str:
    """Remove the last row of a table that does not have the answer."""
    spans = [span for span in _rows(text) if not holds(text[slice(*span)], answer)]
    return _without(text, spans[-1:])


def blank_answer(text: str, answer: str) -> str:
    """Put a reference to another text in place of the answer's figure."""
    number = _NUMBER.search(answer)
    place = rf"(?<![\d.,]){re.escape(number[0])}(?![\d,]|\.\d)" if number else r"\Z\A"
    return re.sub(place, "see Exhibit 99", text)


def drop_all_lines(text: str, answer: str) -> str:
    """Remove the rows of all tables."""
    return _without(text, _rows(text))


EDITS: dict[str, Callable[[str, str], str]] = {
    each.__name__: each for each in (drop_another_line, blank_answer, drop_all_lines)
}


def _rows(text: str) -> list[tuple[int, int]]:
    return [(row.start_char, row.end_char) for table in find_tables(text) for row in table.rows]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start].rstrip("\n ") + text[end:]
    return text


@cache
def templates() -> dict[str, Template]:
    """Return the template of each stratum, such as `ambiguity, low`."""
    file = files("tasks.baseline.refusalbench").joinpath("templates.toml")
    classes = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        f"{name}, {intensity}": Template(**template)
        for name, of_class in classes.items()
        for intensity, template in of_class.items()
    }


def _template(stratum: str) -> Template:
    return templates()[stratum]
