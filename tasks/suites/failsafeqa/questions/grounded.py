"""Pairs by conversation: write, rate, choose, rewrite (paper 000, "Query Generation").

All contexts go through a step together. So an engine gets large batches in which questions about
one context are adjacent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Context, QAPair, Reject
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question
from tasks.suites.failsafeqa.questions import choice, dialogue, rating, rewriting
from tasks.suites.failsafeqa.questions.amounts import amount_of_unknown_scale
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.text.query_task import task_of

# A context is asked for as many conversations as it lacks pairs, in at most this many rounds. It
# never gets more than ROUNDS x pairs conversations, however little there is to ask.
ROUNDS = 3

UNREADABLE_DIALOGUE = "the dialogue reply could not be used"
UNREADABLE_RATING = "the rating reply could not be used"
UNREADABLE_CHOICE = "the choice reply could not be used"
UNREADABLE_REWRITING = "the rewriting reply could not be used"
UNKNOWN_SCALE = "the document does not state the scale of an amount of the answer"
LOW_RATING = "the pair was rated too low"
NOT_CHOSEN = "another query of the conversation stands alone better"
NO_SUCH_TURN = "the reply chose an exchange that does not exist"
DUPLICATE = "the filing already has this query"

_FOCUS_CHARS = 240
_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One exchange about a context: the last of `turns`, since it may depend on those before."""

    context: Context
    conversation_id: str
    turns: tuple[Turn, ...]
    rating: int = 0

    @property
    def turn(self) -> Turn:
        return self.turns[-1]

    @property
    def turn_id(self) -> str:
        """Identify the exchange in requests and rejects."""
        place, turn = len(self.turns) - 1, self.turn
        return stable_id("turn", self.conversation_id, place, turn.user, turn.assistant)

    def reject(self, reason: str, detail: str) -> Reject:
        return _reject(self.context, self.turn_id, reason, f"{detail}{self.turn.user}")


def write(
    contexts: Iterable[Context],
    engine: Engine,
    *,
    pairs: int,
    seed: int,
    examples: str | None = None,
) -> Iterator[QAPair | Reject]:
    """Write at most `pairs` pairs per context, each from its own conversation.

    Everything else becomes a Reject.

    Args:
        examples: few-shot conversations as JSON lines; None takes the project's own.
    """
    contexts = list(contexts)
    shown = dialogue.default_examples() if examples is None else examples.strip()
    accepted = {context.context_id: 0 for context in contexts}
    asked = dict(accepted)
    taken: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        lacking = [context for context in contexts if accepted[context.context_id] < pairs]
        if not lacking:
            return
        numbers = []
        for context in lacking:
            first = asked[context.context_id] + 1
            asked[context.context_id] += pairs - accepted[context.context_id]
            numbers += [(context, number) for number in range(first, asked[context.context_id] + 1)]
        rejects: list[Reject] = []
        exchanges = _converse(numbers, engine, seed, shown, rejects)
        rated = _rate(exchanges, engine, rejects)
        chosen = _choose(rated, engine, rejects)
        for pair, exchange in _rewrite(chosen, engine, rejects):
            key = (exchange.context.document_ids[0], normalised(pair.query))
            if key in taken:
                subject_id = exchange.conversation_id
                rejects.append(_reject(exchange.context, subject_id, DUPLICATE, pair.query))
                continue
            taken.add(key)
            accepted[pair.context_id] += 1
            yield pair
        yield from rejects


def normalised(query: str) -> str:
    """Drop a query's case, punctuation and spacing, to find duplicates."""
    return " ".join(re.findall(r"\w+", query.lower()))


def _converse(
    numbers: Sequence[tuple[Context, int]],
    engine: Engine,
    seed: int,
    examples: str,
    rejects: list[Reject],
) -> list[_Exchange]:
    questions = []
    for context, number in numbers:
        inputs = dialogue.Inputs(
            examples=examples,
            context=context.text,
            number=str(number),
            focus=_focus(context, number, seed),
        )
        questions.append(Question(stable_id("conv", context.context_id, seed, number), inputs))
    exchanges: list[_Exchange] = []
    replies = ask(engine, dialogue.OPERATION, questions)
    shown = set(dialogue.parse(examples))
    for (context, _), reply in zip(numbers, replies, strict=True):
        turns = tuple(turn for turn in reply.value or () if turn not in shown)
        if not turns:
            error = reply.error or "the reply repeats the prompt's examples"
            rejects.append(_reject(context, reply.subject_id, UNREADABLE_DIALOGUE, error))
            continue
        for n_turns in range(1, len(turns) + 1):
            exchanges.append(_Exchange(context, reply.subject_id, turns[:n_turns]))
    return exchanges


def _focus(context: Context, number: int, seed: int) -> str:
    """Choose the passage that a conversation begins with, so that conversations differ."""
    passages = [passage.strip() for passage in _BLANK_LINE.split(context.text)]
    long_enough = [passage for passage in passages if len(passage) >= 80] or passages
    return (
        stable_rng(seed, "focus", context.context_id, number)
        .choice(long_enough)[:_FOCUS_CHARS]
        .strip()
    )


def _rate(exchanges: Sequence[_Exchange], engine: Engine, rejects: list[Reject]) -> list[_Exchange]:
    """Rate exchanges whose amounts have a scale, and keep those that are good enough."""
    questions = []
    exchanges = list(_with_scale(exchanges, rejects))
    for each in exchanges:
        query, answer = each.turn.user, each.turn.assistant
        inputs = rating.Inputs(context=each.context.text, query=query, answer=answer)
        questions.append(Question(each.turn_id, inputs))
    rated = []
    for each, reply in zip(exchanges, ask(engine, rating.OPERATION, questions), strict=True):
        if reply.value is None:
            rejects.append(each.reject(UNREADABLE_RATING, f"{reply.error}: "))
        elif reply.value < rating.LOWEST_ACCEPTED:
            rejects.append(each.reject(LOW_RATING, f"{reply.value} of 5: "))
        else:
            rated.append(replace(each, rating=reply.value))
    return rated


def _with_scale(exchanges: Iterable[_Exchange], rejects: list[Reject]) -> Iterator[_Exchange]:
    for each in exchanges:
        amount = amount_of_unknown_scale(each.context.text, each.turn.assistant)
        if amount is None:
            yield each
        else:
            rejects.append(each.reject(UNKNOWN_SCALE, f"{amount}: "))


def _choose(
    exchanges: Sequence[_Exchange], engine: Engine, rejects: list[Reject]
) -> list[_Exchange]:
    """Choose each conversation's best exchange."""
    by_conversation = groupby(exchanges, key=lambda each: each.conversation_id)
    conversations = [list(some) for _, some in by_conversation]
    questions = []
    for some in conversations:
        inputs = choice.Inputs(conversation=numbered([each.turn for each in some]))
        questions.append(Question(some[0].conversation_id, inputs))
    chosen = []
    for some, reply in zip(conversations, ask(engine, choice.OPERATION, questions), strict=True):
        context = some[0].context
        if reply.value is None:
            error = reply.error or ""
            rejects.append(_reject(context, reply.subject_id, UNREADABLE_CHOICE, error))
        elif reply.value > len(some):
            detail = f"{reply.value} of {len(some)}"
            rejects.append(_reject(context, reply.subject_id, NO_SUCH_TURN, detail))
        else:
            best = some.pop(reply.value - 1)
            chosen.append(best)
            rejects += [each.reject(NOT_CHOSEN, "") for each in some]
    return chosen


def _rewrite(
    chosen: Sequence[_Exchange], engine: Engine, rejects: list[Reject]
) -> Iterator[tuple[QAPair, _Exchange]]:
    """Make pairs of the chosen exchanges, with rewritten queries."""
    questions = []
    for each in chosen:
        inputs = rewriting.Inputs(conversation=numbered(each.turns), query=each.turn.user)
        questions.append(Question(each.turn_id, inputs))
    for each, reply in zip(chosen, ask(engine, rewriting.OPERATION, questions), strict=True):
        context_id, query, answer = each.context.context_id, reply.value, each.turn.assistant
        if query is None:
            rejects.append(each.reject(UNREADABLE_REWRITING, f"{reply.error}: "))
            continue
        pair = QAPair(
            qa_pair_id=stable_id("pair", context_id, query, answer),
            context_id=context_id,
            query=query,
            answer=answer,
            task=task_of(query),
            quality=each.rating,
        )
        yield pair, each


def _reject(context: Context, subject_id: str, reason: str, detail: str) -> Reject:
    """Reject something of a context; `subject_id` is that of its request."""
    return Reject(
        reject_id=stable_id("reject", "qa_pairs", subject_id, reason, detail),
        stage="qa_pairs",
        parent_id=context.context_id,
        reason=reason,
        detail=detail,
    )
