"""Scripted models that play every operation of every suite: no language models, and said so.

`python tests/servers/chat_server.py --model clean --model messy --reply-rule
tests.servers.players:reply` recognises an operation by its template, cuts its inputs out of the
prompt, and answers as the suite's weightless rule does. Then it errs, as a hash of model and
prompt says, so that the same prompt always gets the same reply:

- A model whose name starts with `messy` gives two replies in three in a form that a parser must
  cope with or refuse: talk around them, code fences, keys in another case, ratings out of range,
  nothing at all.
- Any other model is `clean`: its replies are well formed, but in one of eight a figure, rating
  or verdict is another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from tasks.baseline import load_rules
from tasks.baseline.longcontext import sentiment_of
from tasks.core.ids import sha256_hex
from tasks.inference.engines.extractive import Rule
from tasks.inference.prompts import inputs_of, read_template
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import AnyOperation

NOTHING_ASKED = "There is no question."  # to a primer, say
_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")
_MARK = re.compile(r"^\[[^\[\]{}\n]+\]$", re.MULTILINE)
_FENCE = r"(?: [0-9a-f]{16})?\]"  # how a mark ends, which carries a number if an input imitates it
_REPAIR = "\n\n[Your reply so far]\n"


@dataclass(frozen=True)
class Playable:
    """An operation, how its prompts read, and the rule that answers it."""

    operation: AnyOperation
    system: str  # what may stand before the prompt: the server joins messages
    given: Mapping[str, str]  # inputs that are the same in all its prompts
    beginning: str  # of every prompt
    pattern: re.Pattern[str]
    rule: Rule

    def inputs(self, prompt: str) -> Any | None:
        """Cut the operation's inputs out of a prompt, or return None if it is another's."""
        prompt = prompt.removeprefix(self.system)
        match = self.pattern.fullmatch(prompt) if prompt.startswith(self.beginning) else None
        return None if match is None else self.operation.inputs(**self.given, **match.groupdict())


def _accept(inputs: Any) -> str:
    """Accept a question of TableQuest, whatever it asks."""
    verdicts = dict.fromkeys(("relevant", "reasonable", "valid", "agrees"), True)
    reason = "Scripted: it accepts what it is shown."
    level = inputs.level if inputs.level in ("easy", "medium", "hard") else "easy"
    verdict = {"reason": reason, "sources": "table 1", "level": level}
    return json.dumps(verdict | verdicts)


def _rules_of(suite: str) -> Mapping[str, Rule]:
    """Return a suite's rules, and those of the tests for operations that have no rule."""
    rules = load_rules(suite)
    if suite == "tablequest":
        return {**rules, "rederive": rules["answer"], "verify_question": Rule(_accept)}
    if suite == "longcontext":
        label = Rule(lambda inputs: json.dumps({"sentiment": sentiment_of(inputs.title)}))
        return {**rules, "label_sentiment": label}
    return rules


@cache
def playable() -> tuple[Playable, ...]:
    """List the operations that have a rule, of every suite."""
    return tuple(
        _playable(suite, operation, rules[operation.name])
        for suite in SUITES
        for rules in (_rules_of(suite),)
        for operation in load_suite(suite).operations.values()
        if operation.name in rules
    )


def _playable(suite: str, operation: AnyOperation, rule: Rule) -> Playable:
    values = {}
    if "rubric" in inputs_of(operation.template):  # a judge's operations differ by nothing else
        rubric = operation.name.removeprefix("judge_")
        values["rubric"] = read_template(f"{suite}/rubrics/{rubric.partition('_by_')[0]}").strip()
    head, _, tail = read_template(operation.template).partition("\n=====\n")
    text = _PLACE.sub(
        lambda place: values.get(place[1], place[0]), f"{head}\n{tail.removesuffix(chr(10))}"
    )
    system = "" if operation.system is None else read_template(operation.system)
    ends = [match.start() for match in (_PLACE.search(text), _MARK.search(text)) if match]
    return Playable(operation, system, values, text[: min(ends)], _pattern(text), rule)


def _pattern(text: str) -> re.Pattern[str]:
    """Make a filled template's pattern: a group per input, marks with or without a fence."""
    seen: set[str] = set()

    def group(name: str) -> str:
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>.*)"

    pieces = []
    for number, piece in enumerate(_PLACE.split(text)):
        if number % 2:
            pieces.append(group(piece))
            continue
        at = 0
        for mark in _MARK.finditer(piece):
            pieces += [re.escape(piece[at : mark.end() - 1]), _FENCE]
            at = mark.end()
        pieces.append(re.escape(piece[at:]))
    return re.compile("".join(pieces), re.DOTALL)


# --- replies -------------------------------------------------------------------------------


def reply(prompt: str, model: str) -> str:
    """Answer a prompt as this model, a repair's by what it repairs; say so if no operation asks."""
    drawn = int(sha256_hex(f"{model}\n{prompt}")[:12], 16)
    text = meant(prompt)
    if text is None:
        return NOTHING_ASKED
    if model.startswith("messy"):
        return MESSES[drawn % len(MESSES)](text) if drawn // 64 % 3 else text
    return _erred(text) if drawn % 8 == 0 else text


@lru_cache(maxsize=1_000)  # a panel's models are all asked the same
def meant(prompt: str) -> str | None:
    """Return the rule's reply to a prompt, a repair's to what it repairs; None if none is asked."""
    question = prompt.rpartition(_REPAIR)[0] or prompt
    for played in playable():
        if (inputs := played.inputs(question)) is not None:
            return (played.rule.bold or played.rule.reply)(inputs)
    return None


_OTHERS = {"yes": "no", "answerable": "not answerable", "unanswerable": "answerable"}
_OTHERS |= {other: verdict for verdict, other in _OTHERS.items() if other != "answerable"}
_VERDICT = re.compile(
    r"(?<=Verdict: )(?:yes|no|answerable|not answerable)$|(?<=\")(?:un)?answerable(?=\")"
)
_RATING = re.compile(r"(?<=Rating: )\d+$|(?<=Number: )\d+$")
_FIGURE = re.compile(
    r"(?<=\"answer\": \")(\D*)(\d)|\d(?=\D*\Z)"
)  # a digit of the answer, or the last one
_KEY = re.compile(r"\"(\w+)\"(?=:)|(?<=<)/?\w+(?=>)")


def _erred(text: str) -> str:
    """Return the reply with another verdict, rating or figure."""
    if _VERDICT.search(text):
        return _VERDICT.sub(_other_verdict, text)
    if _RATING.search(text):
        return _RATING.sub(lambda rating: str(int(rating[0]) % 5 + 1), text)
    return _FIGURE.sub(
        lambda match: (match[1] or "") + str((int(match[2] or match[0]) + 3) % 10), text, count=1
    )


def _other_verdict(match: re.Match[str]) -> str:
    if match[0] == "answerable" and match.string[match.start() - 1] == '"':
        return "unanswerable"
    return _OTHERS[match[0]]


def _bold(text: str) -> str:
    """Return the reply with its verdict in bold, or all of it."""
    bold = re.sub(r"(?:Rating|Verdict): .*", r"**\g<0>**", text)
    return bold if bold != text else f"**{text}**"


def _out_of_range(text: str) -> str:
    """Return the reply with a rating or verdict off the scale, or with citations of nothing."""
    strange = _RATING.sub("9", _VERDICT.sub("maybe", text))
    return strange if strange != text else re.sub(r"\[(\d+)([-,])", r"[9\g<1>\2", text)


def _other_case(text: str) -> str:
    """Return the reply with its keys and tags in the other case, and its verdicts in capitals."""
    swapped = _KEY.sub(lambda key: key[0].swapcase(), text)
    return re.sub(r"Verdict: .*", lambda verdict: verdict[0].upper(), swapped)


MESSES: tuple[Callable[[str], str], ...] = (
    lambda text: f"Sure, here is my reply:\n\n{text}",
    lambda text: f"{text}\n\nLet me know if you need anything else!",
    lambda text: f"Certainly.\n\n```json\n{text}\n```\n\nI hope that this helps.",
    lambda text: f"```\n{text}\n```",
    _bold,
    _other_case,
    _out_of_range,
    _erred,
    lambda text: "",
    lambda text: " \n\n ",
    lambda text: text[: len(text) * 3 // 5],
    lambda text: text + "\nAnd so on." * 2_000,  # longer than any operation's limit
    lambda text: f"{_erred(text)}\n\nOn second thoughts:\n{text}",
    lambda text: text.replace('"', "'"),
    lambda text: "I'm sorry, but I cannot help with that.",
)
