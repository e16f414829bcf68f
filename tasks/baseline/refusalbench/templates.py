"""Perturbations by template, one a stratum, of the questions that `facts` writes.

A template has its lever and one or more of: `query`, the new question; `add`, a sentence that is
added to passages; `replaced`, the figures of passages that `by` replaces: the answer, or the last
other one. What a class keeps is taken from the original by the suite. Nothing is checked: it is a
demonstration.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

from tasks.baseline.facts import UNCHECKED
from tasks.suites.refusalbench.generation import GenerateInputs

_WHEN = r"(?P<time>(?:in|as of) (?:\w+ \d{1,2}, )?\d{4})\?"
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


@dataclass(frozen=True, slots=True)
class Template:
    """One way to perturb a question on a fact."""

    lever: str
    query: str = ""
    add: str = ""
    replaced: Literal["", "answer", "other figure"] = ""
    by: str = ""


def generate(inputs: GenerateInputs) -> str:
    """Perturb a question: all signal passages, and the first of noise."""
    if (fields := _fields(inputs)) is None:
        return json.dumps({"lever_selected": "none"})
    template = templates()[inputs.stratum]
    _, *parts = _PASSAGE.split(inputs.passages)
    reply = {
        "lever_selected": template.lever,
        "implementation_reasoning": UNCHECKED,
        "perturbed_query": template.query.format_map(fields) or inputs.query,
        "perturbed_passages": [
            {"passage": name, "perturbed_text": _perturbed(template, text.strip("\n"), fields)}
            for name, text in zip(parts[::2], parts[1::2], strict=True)
            if name.startswith("S") or name == "N1"
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
    hundredfold = f"{Decimal(number[0].replace(',', '')) * 100:,f}"
    return {
        **fact.groupdict(),
        "number": number[0],
        "answer": inputs.answers,
        "other": inputs.answers.replace(number[0], other, 1),
        "hundredfold": inputs.answers.replace(number[0], hundredfold, 1),
    }


def _perturbed(template: Template, text: str, fields: Mapping[str, str]) -> str:
    if template.replaced:
        is_answer = template.replaced == "answer"
        matches = [m for m in _NUMBER.finditer(text) if (m[0] == fields["number"]) == is_answer]
        for match in reversed(matches if is_answer else matches[-1:]):
            text = text[: match.start()] + template.by + text[match.end() :]
    return f"{text}\n\n{template.add.format_map(fields)}" if template.add else text


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
