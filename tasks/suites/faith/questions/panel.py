"""The panel: models that try to restore hidden figures, and say whether the tables give them.

Paper 004, answerability annotation. The authors show the figures between marks; here they are
hidden, so that an answer which equals the figure is evidence. A call asks for many figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from tasks.core.ids import stable_id
from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, ParseError, Question, Reply
from tasks.inference.replies import answer_of
from tasks.inference.schemas import closed, listed, one_of, text
from tasks.suites.faith.judge.masked_figure import compared
from tasks.suites.faith.masking import MaskType
from tasks.suites.faith.questions.masked_spans import FoundSpan
from tasks.suites.faith.rows import Vote
from tasks.text.json_replies import objects

SMALLEST_PANEL = 3
FIGURES_OF_A_CALL = 24

PANEL_SAYS_NO = "the panel says that the tables do not give the figure"
PANEL_DISAGREES = "the panel disagrees"
VOTE_NOT_READ = "a vote of the panel could not be read"
NOT_REACHED = "the panel says that the tables give the figure, but no answer of it is right"
NOT_ANSWERED = "the reply has no entry of this figure that can be read"


@dataclass(frozen=True, slots=True)
class AnswerabilityInputs:
    """The inputs of the panel's prompt: tables, and passages with numbered gaps."""

    tables: str
    passages: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model says of one hidden figure."""

    reasoning: str
    answer: str
    mask_type: MaskType
    is_answerable: bool


def parse(reply: str) -> dict[int, Opinion]:
    """Read a reply's opinions by number; entries that lack a part are left out.

    Raises:
        ParseError: no entry can be read.
    """
    opinions: dict[int, Opinion] = {}
    for entry in objects(answer_of(reply)):
        number, letter = str(entry.get("number")), str(entry.get("scenario")).strip()[:1].upper()
        verdict = str(entry.get("verdict")).strip().lower()
        if number.isdecimal() and letter in tuple("ABCD") and verdict in _VERDICTS:
            opinions[int(number)] = Opinion(
                reasoning=str(entry.get("reasoning", "")),
                answer=str(entry.get("answer", "")),
                mask_type=cast(MaskType, letter),
                is_answerable=_VERDICTS[verdict],
            )
    if not opinions:
        raise ParseError("the reply has no entry with number, scenario and verdict")
    return opinions


_VERDICTS = {"answerable": True, "unanswerable": False}
_ENTRY = closed(
    number={"type": "integer"},
    reasoning=text(240),
    answer=text(60),
    scenario=one_of("A", "B", "C", "D"),
    verdict=one_of(*_VERDICTS),
)


def schema_of(n_figures: int) -> dict[str, Any]:
    """Return the schema of a reply about so many figures."""
    return closed(figures=listed(_ENTRY, most=n_figures, least=n_figures))


OPERATION: Operation[AnswerabilityInputs, dict[int, Opinion]] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=AnswerabilityInputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=4096),
    schema=schema_of(FIGURES_OF_A_CALL),
)


def batches_of(spans: Sequence[FoundSpan], rng: Random | None) -> list[list[FoundSpan]]:
    """Split a filing's spans into those of one call each, those of a sentence together."""
    of_start: dict[int, list[FoundSpan]] = {}
    for span in spans:
        of_start.setdefault(span.start_char, []).append(span)
    sentences = [*of_start.values()]
    batches: list[list[FoundSpan]] = [[]]
    if rng is not None:
        rng.shuffle(sentences)
    for of_sentence in sentences:
        if batches[-1] and len(batches[-1]) + len(of_sentence) > FIGURES_OF_A_CALL:
            batches.append([])
        batches[-1] += of_sentence
    return batches


def passages_of(spans: Sequence[FoundSpan]) -> str:
    """Write the sentences of spans between their neighbours, with the n-th figure as `[n]`."""
    gaps: dict[int, str] = {}  # start of a sentence -> with its gaps
    for number, span in reversed([*enumerate(spans, 1)]):  # later figures first
        sentence, figure = gaps.get(span.start_char, span.sentence), span.figure
        gaps[span.start_char] = (
            f"{sentence[: figure.start_char]}[{number}]{sentence[figure.end_char :]}"
        )
    shown = {span.sentence: gaps[span.start_char] for span in spans}
    passages: list[tuple[str, ...]] = [()]
    for span in {span.start_char: span for span in spans}.values():
        before, after = (shown.get(line, line) for line in (span.before, span.after))
        lines = (" ".join(line.split()) for line in (before, gaps[span.start_char], after))
        passages.append(tuple(line for line in lines if line and line not in passages[-1]))
    return "\n\n".join("\n".join(passage) for passage in passages[1:])


def poll(
    panel: Sequence[Engine], batches: Sequence[tuple[str, Sequence[FoundSpan]]]
) -> dict[str, list[Vote]]:
    """Ask each model about batches of figures and their tables; return votes by span_id."""
    batches = [
        (tables, sorted(spans, key=lambda span: (span.start_char, span.figure.start_char)))
        for tables, spans in batches
    ]
    questions = [
        Question(
            spans[0].span_id,
            AnswerabilityInputs(tables, passages_of(spans)),
            schema=schema_of(len(spans)),
        )
        for tables, spans in batches
    ]
    votes: dict[str, list[Vote]] = {}
    for engine in panel:
        for (_, spans), reply in zip(batches, ask(engine, OPERATION, questions), strict=True):
            for number, span in enumerate(spans, 1):
                vote = _vote(span, engine.model, reply, number)
                votes.setdefault(span.span_id, []).append(vote)
    return votes


def _vote(span: FoundSpan, model: str, reply: Reply[dict[int, Opinion]], number: int) -> Vote:
    opinion, truth = (reply.value or {}).get(number), span.figure.text
    is_reached = opinion and compared(opinion.answer, truth, truth, "strict").correct
    return Vote(
        vote_id=stable_id("vote", span.span_id, model),
        span_id=span.span_id,
        model=model,
        is_answerable=opinion and opinion.is_answerable,
        answer=opinion and opinion.answer,
        is_reached=is_reached,
        mask_type=opinion and opinion.mask_type,
        unread_reason=None if opinion else reply.error or NOT_ANSWERED,
        rationale=opinion and opinion.reasoning,
        request_id=reply.request.request_id,
    )


def decide(votes: Sequence[Vote]) -> tuple[MaskType | None, str]:
    """Return a figure's scenario, or None and why it does not count.

    It counts if all call it answerable and one restores it; its scenario is what most of those say
    who restore it, the first of the panel if they are divided.
    """
    opinions = {vote.is_answerable for vote in votes}
    if opinions == {True}:
        letters = [vote.mask_type for vote in votes if vote.is_reached]
        return (Counter(letters).most_common(1)[0][0], "") if letters else (None, NOT_REACHED)
    if False not in opinions:
        return None, VOTE_NOT_READ
    return None, PANEL_DISAGREES if True in opinions else PANEL_SAYS_NO
