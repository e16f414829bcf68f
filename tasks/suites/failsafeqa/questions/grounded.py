"""Pairs by conversation: write, choose, rewrite, rate (paper 000, "Query Generation").

The paper's order: the best request of a conversation is chosen and rewritten to stand alone, and
the rating judges the pair that a release gets. Rules reject what no pair may have before that.

All contexts go through a step together. So an engine gets large batches in which questions about
one context are adjacent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import floor
from typing import Literal

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, QAPair, Reject
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question
from tasks.quantities.text_tables import paragraphs
from tasks.suites.failsafeqa.questions import operations
from tasks.suites.failsafeqa.questions.conditions import (
    DUPLICATE,
    fault_of,
    is_near_duplicate,
    topic_of,
)
from tasks.suites.failsafeqa.questions.operations import Turn, numbered

# A context is asked for as many conversations as it lacks pairs, in at most this many rounds.
ROUNDS = 3
TEXT_SHARE = 0.17  # of pairs that ask for a text, as in the paper's dataset
ASKED_FOR = "asked_for"  # trait of a pair: what its conversation was to give

UNREADABLE_DIALOGUE = "the dialogue reply could not be used"
UNREADABLE_RATING = "the rating reply could not be used"
UNREADABLE_CHOICE = "the choice reply could not be used"
UNREADABLE_REWRITING = "the rewriting reply could not be used"
LOW_RATING = "the pair was rated too low"
NOT_CHOSEN = "another query of the conversation stands alone better"
NO_SUCH_TURN = "the reply chose an exchange that does not exist"

_FOCUS_CHARS = 240

Task = Literal["qa", "tg"]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One exchange about a context: the last of `turns`, since it may depend on those before."""

    context: Context
    conversation_id: str
    turns: tuple[Turn, ...]
    task: Task
    wanted: str  # what its conversation is to give, by `operations.WANTED`
    query: str = ""  # once it is rewritten

    @property
    def turn(self) -> Turn:
        return self.turns[-1]

    @property
    def turn_id(self) -> str:
        """Identify the exchange in requests and rejects."""
        place, turn = len(self.turns) - 1, self.turn
        return stable_id("turn", self.conversation_id, place, turn.user, turn.assistant)

    def reject(self, reason: str, detail: str) -> Reject:
        query = self.query or self.turn.user
        return _reject(self.context, self.turn_id, reason, f"{detail}{query}")


def write(
    contexts: Iterable[Context],
    engine: Engine,
    *,
    pairs: int,
    seed: int,
    companies: Mapping[str, str] | None = None,
    named: bool = False,
    places: Mapping[str, int] | None = None,
) -> Iterator[QAPair | Reject]:
    """Write at most `pairs` pairs per context, each from its own conversation.

    Everything else becomes a Reject.

    Args:
        companies: names by context_id; that of a context without one is unknown.
        named: queries name company and period.
        places: context_id -> place of its filing in the release, from 0.
    """
    contexts, companies, places = list(contexts), companies or {}, places or {}
    lacking = {
        context.context_id: _wanted(context, places.get(context.context_id, 0), pairs, seed)
        for context in contexts
    }
    n_asked = dict.fromkeys(lacking, 0)
    topics: dict[str, list[frozenset[str]]] = {}  # by document_id
    for _ in range(ROUNDS):
        wanted = []
        for context in contexts:
            for kind in lacking[context.context_id]:
                n_asked[context.context_id] += 1
                wanted.append((context, n_asked[context.context_id], kind))
        if not wanted:
            return
        rejects: list[Reject] = []
        exchanges = _converse(wanted, engine, seed, rejects)
        chosen = _choose(exchanges, engine, rejects)
        rewritten = _rewrite(chosen, engine, companies, named, rejects)
        for pair, exchange in _rate(rewritten, engine, companies, named, rejects):
            topic = topic_of(pair.query, companies.get(pair.context_id, ""))
            known = topics.setdefault(exchange.context.document_ids[0], [])
            if is_near_duplicate(topic, known):
                rejects.append(exchange.reject(DUPLICATE, ""))
                continue
            known.append(topic)
            lacking[pair.context_id].remove((exchange.task, exchange.wanted))
            yield pair
        yield from rejects


def _wanted(context: Context, place: int, pairs: int, seed: int) -> list[tuple[Task, str]]:
    """Draw what pairs a context is to give: their tasks, and which kind of each.

    Contexts get their texts in turn, so that texts are `TEXT_SHARE` of all pairs of the release.
    """
    share, start = TEXT_SHARE * pairs, stable_rng(seed, "texts").random()
    texts = floor(start + share * (place + 1)) - floor(start + share * place)
    rng = stable_rng(seed, "texts", context.context_id)
    tasks: list[Task] = [("tg" if number < texts else "qa") for number in range(pairs)]
    return [(task, rng.choice(list(operations.WANTED[task]))) for task in tasks]


def _converse(
    wanted: Sequence[tuple[Context, int, tuple[Task, str]]],
    engine: Engine,
    seed: int,
    rejects: list[Reject],
) -> list[_Exchange]:
    questions, examples = [], operations.few_shot_examples()
    for context, number, (task, kind) in wanted:
        inputs = operations.DialogueInputs(
            examples=examples,
            context=context.text,
            number=str(number),
            focus=_focus(context, number, seed),
            wanted=operations.WANTED[task][kind],
        )
        questions.append(Question(stable_id("conv", context.context_id, seed, number), inputs))
    exchanges: list[_Exchange] = []
    replies = ask(engine, operations.DIALOGUE, questions)
    shown = set(operations.parse_dialogue(examples))
    for (context, _, asked_for), reply in zip(wanted, replies, strict=True):
        turns = tuple(turn for turn in reply.value or () if turn not in shown)
        if not turns:
            error = reply.error or "the reply repeats the prompt's examples"
            rejects.append(_reject(context, reply.subject_id, UNREADABLE_DIALOGUE, error))
            continue
        for n_turns in range(1, len(turns) + 1):
            exchanges.append(_Exchange(context, reply.subject_id, turns[:n_turns], *asked_for))
    return exchanges


def _focus(context: Context, number: int, seed: int) -> str:
    """Choose the passage that a conversation begins with: no heading or line of contents."""
    passages = [context.text[start:end].strip() for start, end in paragraphs(context.text)]
    long_enough = [passage for passage in passages if len(passage) >= _FOCUS_CHARS] or passages
    passage = stable_rng(seed, "focus", context.context_id, number).choice(long_enough)
    return passage[:_FOCUS_CHARS].strip()


def _choose(
    exchanges: Sequence[_Exchange], engine: Engine, rejects: list[Reject]
) -> list[_Exchange]:
    """Choose each conversation's best exchange."""
    by_conversation = groupby(exchanges, key=lambda exchange: exchange.conversation_id)
    conversations = [list(some) for _, some in by_conversation]
    questions = []
    for some in conversations:
        inputs = operations.ChoiceInputs(
            conversation=numbered([exchange.turn for exchange in some]),
            wanted=operations.WANTED[some[0].task][some[0].wanted],
        )
        schema = operations.choice_schema(len(some))
        questions.append(Question(some[0].conversation_id, inputs, schema=schema))
    chosen = []
    for some, reply in zip(conversations, ask(engine, operations.CHOICE, questions), strict=True):
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
            rejects += [exchange.reject(NOT_CHOSEN, "") for exchange in some]
    return chosen


def _rewrite(
    chosen: Sequence[_Exchange],
    engine: Engine,
    companies: Mapping[str, str],
    named: bool,
    rejects: list[Reject],
) -> list[_Exchange]:
    """Rewrite the chosen queries, and keep those without a fault."""
    questions = []
    for exchange in chosen:
        inputs = operations.RewritingInputs(
            company=companies.get(exchange.context.context_id) or operations.NOT_KNOWN,
            naming=operations.NAMING[named],
            conversation=numbered(exchange.turns),
            query=exchange.turn.user,
        )
        questions.append(Question(exchange.turn_id, inputs))
    remaining = []
    for exchange, reply in zip(chosen, ask(engine, operations.REWRITE, questions), strict=True):
        if reply.value is None:
            rejects.append(exchange.reject(UNREADABLE_REWRITING, f"{reply.error}: "))
            continue
        rewritten = replace(exchange, query=reply.value)
        if fault := fault_of(reply.value, exchange.turn.assistant, exchange.task):
            rejects.append(rewritten.reject(fault, ""))
        else:
            remaining.append(rewritten)
    return remaining


def _rate(
    rewritten: Sequence[_Exchange],
    engine: Engine,
    companies: Mapping[str, str],
    named: bool,
    rejects: list[Reject],
) -> Iterator[tuple[QAPair, _Exchange]]:
    """Rate the pairs of rewritten queries, and keep those that are good enough."""
    questions = []
    for exchange in rewritten:
        inputs = operations.RatingInputs(
            company=companies.get(exchange.context.context_id) or operations.NOT_KNOWN,
            naming=operations.NAMING[named],
            context=exchange.context.text,
            query=exchange.query,
            answer=exchange.turn.assistant,
        )
        questions.append(Question(exchange.turn_id, inputs))
    for exchange, reply in zip(rewritten, ask(engine, operations.RATE, questions), strict=True):
        if reply.value is None:
            rejects.append(exchange.reject(UNREADABLE_RATING, f"{reply.error}: "))
        elif reply.value < operations.LOWEST_ACCEPTED:
            rejects.append(exchange.reject(LOW_RATING, f"{reply.value} of 5: "))
        else:
            context_id, answer = exchange.context.context_id, exchange.turn.assistant
            pair = QAPair(
                qa_pair_id=stable_id("pair", context_id, exchange.query, answer),
                context_id=context_id,
                query=exchange.query,
                answer=answer,
                task=exchange.task,
                quality=reply.value,
                traits={ASKED_FOR: exchange.wanted},
            )
            yield pair, exchange


def _reject(context: Context, subject_id: str, reason: str, detail: str) -> Reject:
    """Reject something of a context; `subject_id` is that of its request."""
    key = ("qa_pairs", subject_id, reason, detail)
    return reject_of("qa_pairs", context.context_id, reason, detail, key=key)
