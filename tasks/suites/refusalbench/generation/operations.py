"""The operations by which a generator perturbs a question (keys of replies: the authors')."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import ParseError
from tasks.inference.schemas import REASON, TRUE_OR_FALSE, closed, listed, one_of, text
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.suites.refusalbench.strata import ANSWER, CODES, Setting
from tasks.text.json_replies import objects

# The paper samples generators and verifiers at 1.0 (appendix J).
SAMPLING = Sampling(temperature=1.0, max_tokens=8192, top_p=1.0)
LONG = 1700  # characters of a long one; it has at most 400 tokens (`excerpts.LIMIT`)
NONE = "none"  # the lever, if none fits
_LISTS = ("perturbed_signal_passages", "perturbed_noise_passages")


@dataclass(frozen=True, slots=True)
class GenerateInputs:
    """The prompt's inputs: a stratum, and a base question."""

    stratum: str
    description: str
    criterion: str
    target: str
    levers: str
    query: str
    answers: str
    passages: str
    constraint: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A generator's reply as it was written; indices count from 0 in signal or in noise.

    It has no lever if the generator found none that fits.
    """

    lever: str | None
    query: str = ""
    context: str | None = None  # of the single setting
    signal: Mapping[int, str] = field(default_factory=dict)
    noise: Mapping[int, str] = field(default_factory=dict)
    reasoning: str = ""
    intensity: str = ""


def parse_single(reply: str) -> Written:
    """Read a reply about one passage.

    Raises:
        ParseError: it has no object with the needed fields, or several different ones.
    """
    if _finds_none(reply):
        return Written(lever=None)
    fields = one_object(reply, ("perturbed_query", "perturbed_context", "lever_selected"))
    return _written(fields, _text(fields, "perturbed_context"), {}, {})


def parse_multi(reply: str) -> Written:
    """Read a reply about several passages.

    Raises:
        ParseError: it has no object with the needed fields, or several different ones, or a list
            of passages cannot be read.
    """
    if _finds_none(reply):
        return Written(lever=None)
    fields = one_object(reply, ("perturbed_query", "lever_selected", *_LISTS))
    signal, noise = (_passages(fields[name], name) for name in _LISTS)
    return _written(fields, None, signal, noise)


def _finds_none(reply: str) -> bool:
    """Return whether a reply says that no lever fits."""
    found = objects(reply)
    return bool(found) and all(str(each.get("lever_selected")).casefold() == NONE for each in found)


def one_object(reply: str, needed: tuple[str, ...]) -> dict[str, Any]:
    """Return the one JSON object of a reply that has the needed keys.

    Raises:
        ParseError: there is none, or there are several different ones.
    """
    found = [each for each in objects(reply) if set(needed) <= each.keys()]
    if not found:
        raise ParseError(f"the reply has no JSON object with {', '.join(needed)}")
    if any(each != found[0] for each in found):
        raise ParseError("the reply gives several different objects")
    return found[0]


def _written(
    fields: Mapping[str, Any], context: str | None, signal: Mapping[int, str], noise: Any
) -> Written:
    return Written(
        query=_text(fields, "perturbed_query"),
        context=context,
        signal=signal,
        noise=noise,
        lever=_text(fields, "lever_selected"),
        reasoning=str(fields.get("implementation_reasoning") or ""),
        intensity=str(fields.get("intensity_achieved") or ""),
    )


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields[name]
    if not isinstance(value, str) or not any(map(str.isalnum, value)):
        raise ParseError(f"{name} of the reply is not a text")
    return value.strip()


def _passages(value: Any, name: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for each in value if isinstance(value, list) else [None]:
        if not isinstance(each, dict):
            raise ParseError(f"{name} of the reply is not a list of changed passages")
        index, text = each.get("original_index"), each.get("perturbed_text")
        # the prompt calls passage 0 of a list S1 or N1
        letter = name.removeprefix("perturbed_")[0].upper()
        if isinstance(index, str) and (named := re.fullmatch(rf"\[?{letter}(\d+)\]?", index)):
            index = int(named[1]) - 1
        if isinstance(index, bool) or not isinstance(index, int) or not isinstance(text, str):
            raise ParseError(f"a passage of {name} lacks an original_index or a perturbed_text")
        if found.setdefault(index, text) != text:
            raise ParseError(f"{name} of the reply changes passage {index} twice")
    return found


def _schema(
    setting: Setting,
    lever: Mapping[str, Any] = text(80),
    query: int = 200,
    signal: int = LONG,
    noise: int = LONG,
    n_signal: int = MOST_SIGNAL,
) -> dict[str, Any]:
    """Return the schema of a reply, by the characters of the query and the longest passages.

    A multi reply lists each signal passage at most, and one of noise (`catalogue.targets`).
    """
    changed = {
        name: listed(closed(original_index={"type": "integer"}, perturbed_text=_longer(most)), n)
        for name, most, n in zip(_LISTS, (signal, noise), (n_signal, 1), strict=True)
    }
    return closed(
        lever_selected=lever,
        implementation_reasoning=REASON,
        perturbed_query=_longer(query),
        **({"perturbed_context": _longer(signal)} if setting == "single" else changed),
        intensity_achieved=one_of("LOW", "MEDIUM", "HIGH"),
        answer_constraint_satisfied=TRUE_OR_FALSE,
        expected_rag_behavior=one_of(ANSWER, *CODES),
    )


def schema_for(base: BaseQuestion, levers: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a reply to this question: one of these levers, texts little longer."""
    lengths = {
        kind: [len(each.text) for each in base.passages if each.is_signal == kind]
        for kind in (True, False)
    }
    signal, noise = lengths[True], max(lengths[False], default=0)
    lever = one_of(*levers, NONE)
    return _schema(base.setting, lever, len(base.query), max(signal), noise, len(signal))


def _longer(n_chars: int) -> dict[str, Any]:
    return text(n_chars + n_chars // 4 + 200)


SINGLE: Operation[GenerateInputs, Written] = Operation(
    name="generate_single",
    template="refusalbench/generate_single",
    inputs=GenerateInputs,
    parse=parse_single,
    sampling=SAMPLING,
    schema=_schema("single"),
)
MULTI: Operation[GenerateInputs, Written] = Operation(
    name="generate_multi",
    template="refusalbench/generate_multi",
    inputs=GenerateInputs,
    parse=parse_multi,
    sampling=SAMPLING,
    schema=_schema("multi"),
)
OPERATIONS = {"single": SINGLE, "multi": MULTI}
