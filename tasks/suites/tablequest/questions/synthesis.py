"""Drafts of questions on snippets, written in rounds of rising level.

All snippets go through a round together, so an engine gets large batches. A round that fails for a
snippet leaves a reject, and its later rounds go on with the pairs that there are. Every answer is
in the response cache before the next round starts: a run that dies asks only what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tasks.core.ids import stable_id
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, Reject
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question
from tasks.suites.shared.tables.expressions import ExpressionError, renamed
from tasks.suites.tablequest.questions.proofs import Proof, prove
from tasks.suites.tablequest.questions.rounds import (
    LEVELS,
    OPERATIONS,
    RoundInputs,
    WrittenQuestion,
)
from tasks.suites.tablequest.rows import Draft, Level

UNREADABLE = {level: f"the reply of the {level} round could not be used" for level in LEVELS}
NOTHING = {level: f"the {level} round found nothing to ask" for level in LEVELS}

NO_EARLIER = "none yet"
UNKNOWN = "not stated"


def write_drafts(contexts: Sequence[Context], engine: Engine) -> Iterator[Draft | Reject]:
    """Write a draft per snippet and level, or a reject, round by round."""
    earlier: dict[str, list[str]] = {context.context_id: [] for context in contexts}
    for level in LEVELS:
        questions = [
            Question(context.context_id, _inputs(context, earlier[context.context_id]))
            for context in contexts
        ]
        replies = ask(engine, OPERATIONS[level], questions)
        for context, reply in zip(contexts, replies, strict=True):
            written = reply.value
            if written is None or not written.question:
                reason = UNREADABLE[level] if written is None else NOTHING[level]
                key = ("drafts", context.context_id, level)
                yield reject_of("drafts", context.context_id, reason, reply.error or "", key=key)
                continue
            earlier[context.context_id].append(
                f"- ({level}) {written.question} Answer: {written.answer}"
            )
            proof = prove(level, written, context.text)
            yield _draft(context, level, written, proof, reply.request.request_id)


def _inputs(context: Context, earlier: Sequence[str]) -> RoundInputs:
    details = json.loads(context.details)
    return RoundInputs(
        context=context.text,
        company=details.get("company") or UNKNOWN,
        period_end=details.get("period_end") or UNKNOWN,
        earlier="\n".join(earlier) or NO_EARLIER,
    )


def _draft(
    context: Context, level: Level, written: WrittenQuestion, proof: Proof, request_id: str
) -> Draft:
    context_id, query, answer = context.context_id, written.question, written.answer
    return Draft(
        draft_id=stable_id("draft", context_id, level, query),
        qa_pair_id=None if level == "warmup" else stable_id("pair", context_id, query, answer),
        context_id=context_id,
        level=level,
        query=query,
        answer=answer,
        cot=written.steps,
        operands=proof.operands,
        calculation=_calculation(written),
        value=proof.value,
        proved=proof.proved,
        unproved_reason=proof.reason,
        unproved_detail=proof.detail,
        request_id=request_id,
    )


def _calculation(written: WrittenQuestion) -> str | None:
    """Write a calculation over A, B, ..., in the cells' order; one that is unreadable as it is."""
    names = {cell.name: chr(ord("A") + place) for place, cell in enumerate(written.cells)}
    try:
        return renamed(written.calculation or "", names)
    except ExpressionError:
        return written.calculation
