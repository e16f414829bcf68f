"""Pairs by conversation: write, rate, choose, rewrite (paper 000, "Query Generation").

All contexts go through a step together. So an engine gets large batches in which questions about
one context are adjacent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Context, QAPair, Reject
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question
from tasks.suites.failsafeqa.questions import choice, dialogue, rating, rewriting
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.text.query_task import task_of

# A context is asked for as many conversations as it lacks pairs, in at most this many rounds. It
# never gets more than ROUNDS x pairs conversations, however little there is to ask.
ROUNDS = 3

UNREADABLE_DIALOGUE = "the dialogue reply could not be used"
UNREADABLE_RATING = "the rating reply could not be used"
UNREADABLE_CHOICE = "the choice reply could not be used"
UNREADABLE_REWRITING = "the rewriting reply could not be used"
LOW_RATING = "the pair was rated too low"
NOT_CHOSEN = "another query of the conversation stands alone better"
NO_SUCH_TURN = "the reply chose an exchange that does not exist"
DUPLICATE = "the filing already has this query"

_FOCUS_CHARS = 240
_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One conversation about one context, and its remaining exchanges.

    Attributes:
        turns: all exchanges, since one may depend on those before it.
        ratings: position in `turns` -> rating, of the exchanges that were good enough.
    """

    conversation_id: str
    context: Context
    turns: tuple[Turn, ...]
    ratings: Mapping[int, int]

    def turn_id(self, position: int) -> str:
        """Identify an exchange in requests and rejects."""
        turn = self.turns[position]
        return stable_id("turn", self.conversation_id, position, turn.user, turn.assistant)


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
        conversations = _converse(numbers, engine, seed, shown, rejects)
        conversations = _rate(conversations, engine, rejects)
        chosen = _choose(conversations, engine, rejects)
        for pair, document_id, conversation_id in _rewrite(chosen, engine, rejects):
            key = (document_id, normalised(pair.query))
            if key in taken:
                rejects.append(_reject(pair.context_id, conversation_id, DUPLICATE, pair.query))
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
) -> list[_Conversation]:
    questions = []
    for context, number in numbers:
        inputs = dialogue.Inputs(
            examples=examples,
            context=context.text,
            number=str(number),
            focus=_focus(context, number, seed),
        )
        questions.append(Question(stable_id("conv", context.context_id, seed, number), inputs))
    conversations = []
    for (context, _), reply in zip(
        numbers, ask(engine, dialogue.OPERATION, questions), strict=True
    ):
        if reply.value is None:
            detail = reply.error or ""
            rejects.append(
                _reject(context.context_id, reply.subject_id, UNREADABLE_DIALOGUE, detail)
            )
        else:
            conversations.append(_Conversation(reply.subject_id, context, reply.value, {}))
    return conversations


def _focus(context: Context, number: int, seed: int) -> str:
    """Choose the passage that a conversation begins with.

    Conversations then differ, and cover the context.
    """
    passages = [passage.strip() for passage in _BLANK_LINE.split(context.text)]
    long_enough = [passage for passage in passages if len(passage) >= 80] or passages
    return (
        stable_rng(seed, "focus", context.context_id, number)
        .choice(long_enough)[:_FOCUS_CHARS]
        .strip()
    )


def _rate(
    conversations: Sequence[_Conversation], engine: Engine, rejects: list[Reject]
) -> list[_Conversation]:
    """Keep the exchanges that are good enough, and conversations that have any."""
    asked = [
        (conversation, position)
        for conversation in conversations
        for position in range(len(conversation.turns))
    ]
    questions = [
        Question(
            conversation.turn_id(position),
            rating.Inputs(
                context=conversation.context.text,
                query=conversation.turns[position].user,
                answer=conversation.turns[position].assistant,
            ),
        )
        for conversation, position in asked
    ]
    ratings: dict[str, dict[int, int]] = {}
    for (conversation, position), reply in zip(
        asked, ask(engine, rating.OPERATION, questions), strict=True
    ):
        query = conversation.turns[position].user
        if reply.value is None:
            rejects.append(
                _reject(
                    conversation.context.context_id,
                    reply.subject_id,
                    UNREADABLE_RATING,
                    f"{reply.error}: {query}",
                )
            )
        elif reply.value < rating.LOWEST_ACCEPTED:
            rejects.append(
                _reject(
                    conversation.context.context_id,
                    reply.subject_id,
                    LOW_RATING,
                    f"{reply.value} of 5: {query}",
                )
            )
        else:
            ratings.setdefault(conversation.conversation_id, {})[position] = reply.value
    return [
        replace(conversation, ratings=ratings[conversation.conversation_id])
        for conversation in conversations
        if conversation.conversation_id in ratings
    ]


def _choose(
    conversations: Sequence[_Conversation], engine: Engine, rejects: list[Reject]
) -> list[tuple[_Conversation, int]]:
    """Find the position of each conversation's best acceptable exchange."""
    questions = [
        Question(
            conversation.conversation_id,
            choice.Inputs(
                conversation=numbered(
                    [conversation.turns[position] for position in conversation.ratings]
                )
            ),
        )
        for conversation in conversations
    ]
    chosen = []
    for conversation, reply in zip(
        conversations, ask(engine, choice.OPERATION, questions), strict=True
    ):
        positions = list(conversation.ratings)
        if reply.value is None:
            rejects.append(
                _reject(
                    conversation.context.context_id,
                    conversation.conversation_id,
                    UNREADABLE_CHOICE,
                    reply.error or "",
                )
            )
        elif reply.value > len(positions):
            detail = f"{reply.value} of {len(positions)}"
            rejects.append(
                _reject(
                    conversation.context.context_id,
                    conversation.conversation_id,
                    NO_SUCH_TURN,
                    detail,
                )
            )
        else:
            best = positions[reply.value - 1]
            chosen.append((conversation, best))
            rejects += [
                _reject(
                    conversation.context.context_id,
                    conversation.turn_id(position),
                    NOT_CHOSEN,
                    conversation.turns[position].user,
                )
                for position in positions
                if position != best
            ]
    return chosen


def _rewrite(
    chosen: Sequence[tuple[_Conversation, int]], engine: Engine, rejects: list[Reject]
) -> Iterator[tuple[QAPair, str, str]]:
    """Rewrite the chosen queries.

    Yields:
        a pair, its document's id, its conversation's id.
    """
    questions = [
        Question(
            conversation.turn_id(position),
            rewriting.Inputs(
                conversation=numbered(conversation.turns[: position + 1]),
                query=conversation.turns[position].user,
            ),
        )
        for conversation, position in chosen
    ]
    for (conversation, position), reply in zip(
        chosen, ask(engine, rewriting.OPERATION, questions), strict=True
    ):
        turn, context = conversation.turns[position], conversation.context
        if reply.value is None:
            rejects.append(
                _reject(
                    context.context_id,
                    reply.subject_id,
                    UNREADABLE_REWRITING,
                    f"{reply.error}: {turn.user}",
                )
            )
            continue
        pair = QAPair(
            qa_pair_id=stable_id("pair", context.context_id, reply.value, turn.assistant),
            context_id=context.context_id,
            query=reply.value,
            answer=turn.assistant,
            task=task_of(reply.value),
            quality=conversation.ratings[position],
        )
        yield pair, context.document_ids[0], conversation.conversation_id


def _reject(context_id: str, subject_id: str, reason: str, detail: str) -> Reject:
    """Reject a row of a context; `subject` is what `requests.subject_id` says."""
    return Reject(
        reject_id=stable_id("reject", "qa_pairs", subject_id, reason, detail),
        stage="qa_pairs",
        parent_id=context_id,
        reason=reason,
        detail=detail,
    )
