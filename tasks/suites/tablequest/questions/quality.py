"""The quality filter: verifiers check drafts, and votes decide which become pairs.

Each verifier answers a question blind, then judges it beside our answer. It accepts a question that
is relevant, reasonable, valid, of the level intended, whose sources it found, and whose answer is
its own. Figures are compared by the strict match, words by the verifier. A reply that cannot be
read is no acceptance.

Without verifiers, easy and medium questions are kept only if they are proved, and hard ones are
kept unverified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tasks.core.ids import stable_id
from tasks.core.rows import Context, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.replies import read_choice, read_text, read_value
from tasks.inference.schemas import REASON, TRUE_OR_FALSE, closed, one_of, text
from tasks.suites.shared.contexts import ContextInputs
from tasks.suites.shared.figure_match import is_figure, match_figures
from tasks.suites.tablequest.questions.proofs import CONTRADICTIONS
from tasks.suites.tablequest.rows import Draft, Verification
from tasks.text.json_replies import objects

_VERDICTS = ("relevant", "reasonable", "valid", "agrees")
_LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class VerifyInputs:
    """The prompt's inputs: a question with our answer, and the verifier's own."""

    context: str
    query: str
    level: str
    answer: str
    steps: str
    own_answer: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's verdicts on one question; `sources` is "" if it found none."""

    relevant: bool
    reasonable: bool
    valid: bool
    level: str
    sources: str
    agrees: bool
    reason: str


def parse_verdict(reply: str) -> Verdict:
    """Read a verifier's verdicts; see `read_value`. Sources and reason may be missing."""
    yes_or_no = {"true": True, "yes": True, "false": False, "no": False}
    return Verdict(
        **{name: read_value(reply, name, yes_or_no) for name in _VERDICTS},
        level=read_choice(reply, "level", _LEVELS),
        sources=_remark(reply, "sources"),
        reason=_remark(reply, "reason"),
    )


def _remark(reply: str, key: str) -> str:
    """Return the text that a reply gives a key; "" if it gives none."""
    values = [item[key] for item in objects(reply) if item.get(key)]
    last = values[-1] if values else ""
    remark = "; ".join(map(str, last)) if isinstance(last, list) else str(last)
    return "" if remark.casefold() == "none" else remark


REDERIVE: Operation[ContextInputs, str] = Operation(
    name="rederive",
    template="tablequest/rederive",
    inputs=ContextInputs,
    parse=partial(read_text, key="answer"),
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    schema=closed(steps=text(600), answer=text(100)),
)
VERIFY: Operation[VerifyInputs, Verdict] = Operation(
    name="verify_question",
    template="tablequest/verify",
    inputs=VerifyInputs,
    parse=parse_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(
        reason=REASON,
        sources=text(300, least=0),
        level=one_of(*_LEVELS),
        **dict.fromkeys(_VERDICTS, TRUE_OR_FALSE),
    ),
)


NOT_READ = "too few verifications could be read"
NOT_RELEVANT = "verifiers call it irrelevant"
NOT_REASONABLE = "verifiers call it unreasonable"
NOT_VALID = "verifiers call it invalid"
OTHER_LEVEL = "verifiers call it another level"
NO_SOURCES = "verifiers do not find its sources"
OTHER_ANSWER = "verifiers answer otherwise"
DIVIDED = "verifiers object for different reasons"
NOT_PROVED = "no proof, and no verifier"

NO_ANSWER = "(the reply could not be read)"

# What a verifier must say of a draft, in this order; None is no acceptance.
_CRITERIA: Mapping[str, Callable[[Draft, Verification], bool | None]] = {
    NOT_RELEVANT: lambda draft, vote: vote.is_relevant,
    NOT_REASONABLE: lambda draft, vote: vote.is_reasonable,
    NOT_VALID: lambda draft, vote: vote.is_valid,
    OTHER_LEVEL: lambda draft, vote: vote.level == draft.level,
    NO_SOURCES: lambda draft, vote: bool(vote.sources),
    OTHER_ANSWER: lambda draft, vote: vote.agrees,
}


def may_be_kept(draft: Draft) -> bool:
    """Tell whether verifiers could still let a draft become a pair."""
    if draft.level == "warmup" or draft.unproved_reason in CONTRADICTIONS:
        return False
    return draft.proved is True or draft.level != "easy"


def verify(
    drafts: Sequence[Draft], contexts: Mapping[str, Context], verifiers: Sequence[Engine]
) -> Iterator[Verification]:
    """Have each verifier check each draft that may be kept."""
    subjects = [draft for draft in drafts if may_be_kept(draft)]
    for engine in verifiers:
        blind = [
            Question(draft.draft_id, ContextInputs(contexts[draft.context_id].text, draft.query))
            for draft in subjects
        ]
        own = list(ask(engine, REDERIVE, blind))
        questions = [
            Question(
                draft.draft_id,
                VerifyInputs(
                    context=contexts[draft.context_id].text,
                    query=draft.query,
                    level=draft.level,
                    answer=draft.answer,
                    steps=draft.cot or "none",
                    own_answer=NO_ANSWER if reply.value is None else reply.value,
                ),
            )
            for draft, reply in zip(subjects, own, strict=True)
        ]
        verdicts = ask(engine, VERIFY, questions)
        for draft, reply, verdict in zip(subjects, own, verdicts, strict=True):
            yield _verification(draft, engine.model, reply, verdict)


def _verification(draft: Draft, model: str, own: Reply[str], reply: Reply[Verdict]) -> Verification:
    verdict = reply.value
    own_answer = own.value
    agrees = None
    if verdict is not None and own_answer is not None:
        agrees = (
            verdict.agrees
            if draft.level == "hard" or not is_figure(draft.answer)
            else match_figures(
                own_answer,
                draft.answer,
                question=draft.query,
                is_calculated=draft.level == "medium",
            ).correct
        )
    is_read = agrees is not None and verdict is not None
    row = Verification(
        verification_id=stable_id("verification", draft.draft_id, model),
        draft_id=draft.draft_id,
        model=model,
        is_relevant=None if verdict is None else verdict.relevant,
        is_reasonable=None if verdict is None else verdict.reasonable,
        is_valid=None if verdict is None else verdict.valid,
        level=None if verdict is None else verdict.level,
        sources=None if verdict is None else verdict.sources,
        own_answer=own_answer,
        agrees=agrees,
        accepts=None,
        unread_reason=None if is_read else reply.error or own.error,
        rationale=None if verdict is None else verdict.reason,
        request_id=reply.request.request_id,
        answer_request_id=own.request.request_id,
    )
    accepts = all(holds(draft, row) for holds in _CRITERIA.values()) if is_read else None
    return replace(row, accepts=accepts)


def decide(draft: Draft, votes: Sequence[Verification]) -> tuple[str | None, str, str]:
    """Decide on a draft: its evidence if it becomes a pair, else None; reason and detail if not."""
    if draft.unproved_reason is not None and not may_be_kept(draft):
        return None, draft.unproved_reason, draft.unproved_detail
    if not votes:
        if draft.proved or draft.level == "hard":
            return "proved" if draft.proved else "unverified", "", ""
        return None, draft.unproved_reason or NOT_PROVED, draft.unproved_detail
    if _is_majority([vote.accepts is True for vote in votes]):
        checked = "verified" if draft.level == "hard" else "re-derived"
        return "proved" if draft.proved else checked, "", ""
    return None, _why_not(draft, votes), "; ".join(map(_said, votes))


def _is_majority(accepted: Sequence[bool]) -> bool:
    return 2 * sum(accepted) > len(accepted)


def _why_not(draft: Draft, votes: Sequence[Verification]) -> str:
    if not _is_majority([vote.accepts is not None for vote in votes]):
        return NOT_READ
    for reason, holds in _CRITERIA.items():
        if not _is_majority([holds(draft, vote) is True for vote in votes]):
            return reason
    return DIVIDED


def _said(vote: Verification) -> str:
    """Write a vote for people: who answered what, and why."""
    remark = vote.unread_reason or f"{vote.own_answer!r}, {vote.level}, {vote.rationale}"
    return f"{vote.model}: {remark}"
