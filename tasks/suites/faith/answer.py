"""The operations that restore a masked figure from the tables (paper 004).

As in the authors' prompt, a model reasons in steps and ends with a JSON object. The prompt says
whether the figure is a percentage, and nothing else about it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.quantities.figures import Figure, find_figures
from tasks.text.json_replies import json_values

# The kind of a masked figure in the prompt's words.
PERCENTAGE = "a percentage"
POINTS = "a number of percentage points"
BASIS_POINTS = "a number of basis points"
NEITHER = "neither a percentage nor a number of basis points"


@dataclass(frozen=True, slots=True)
class MaskedInputs:
    """The prompt's inputs."""

    tables: str  # as `tasks.suites.shared.tables.sheets` writes them
    form: str  # the kind of masked figure: `form_of` its truth
    passage: str  # the masked sentence between its neighbours, one per line

    @classmethod
    def of(cls, case: Case, context: str) -> MaskedInputs:
        """Show a case's passage, its tables, and the form of its target."""
        return cls(tables=context, form=form_of(case.target), passage=case.query)


@dataclass(frozen=True, slots=True)
class Restored:
    """The answer that ends a model's reply: the figure, and its kind of reasoning."""

    answer: str
    scenario: str | None


def form_of(truth: str) -> str:
    """Return a masked figure's form: a percentage, basis points, or neither."""
    figure: Figure | None = next(iter(find_figures(truth)), None)
    if figure is None or figure.unit not in ("percent", "bps"):
        return NEITHER
    if figure.unit == "bps":
        return BASIS_POINTS
    return POINTS if figure.measure == "percentage point" else PERCENTAGE


def parse(reply: str) -> Restored:
    """Parse the last JSON object of a reply that has an answer.

    Text around the object is ignored: the model's steps before it, even if they hold a draft.

    Raises:
        ParseError: there is no such object, it is nested too deep, or its answer is empty or
            neither a text nor a number.
    """
    results = _results(reply)
    answer = results["answer"]
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise ParseError("the answer is neither a text nor a number")
    if isinstance(answer, float) and not math.isfinite(answer):
        raise ParseError("the answer is no finite number")
    if not str(answer).strip():
        raise ParseError("the answer is empty")
    scenario = results.get("scenario")
    return Restored(
        answer=str(answer).strip(),
        scenario=str(scenario).strip() if isinstance(scenario, str) and scenario.strip() else None,
    )


def _results(reply: str) -> dict[str, Any]:
    """Return the last object with an answer; earlier ones may be copied from the prompt."""
    objects = [value for value in json_values(reply) if isinstance(value, dict)]
    inner = [value.get("results", value) for value in objects]
    results = [value for value in inner if isinstance(value, dict) and "answer" in value]
    if not results:
        raise ParseError("the reply has no JSON object with an answer")
    return results[-1]


# no schema: it would forbid the steps that the prompt asks for
OPERATION: Operation[MaskedInputs, Restored] = Operation(
    name="answer",
    template="faith/restored",
    inputs=MaskedInputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=4096),
    system="faith/analyst",
)
