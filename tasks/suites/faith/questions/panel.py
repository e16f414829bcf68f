"""The panel: models that try to restore hidden figures, and say whether the tables give them.

Paper 004, answerability annotation. The authors show the figures between marks; here they are
hidden, so that an answer which equals the figure is evidence. A call asks for many figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, ParseError, Question, Reply
from tasks.inference.replies import answer_of
from tasks.inference.schemas import closed, listed, one_of, text
from tasks.suites.faith.answer import NEITHER, form_of
from tasks.suites.faith.judge.masked_figure import compared
from tasks.suites.faith.maskable import SCENARIOS
from tasks.suites.faith.questions.masked_spans import FoundSpan
from tasks.suites.faith.rows import MaskType, Vote
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


Entries = dict[int, dict[str, str]]  # by number of a figure: what a reply says of it

_KEYS = ("number", "reasoning", "answer", "scenario", "verdict")
_VERDICTS = {"answerable": True, "unanswerable": False}


def parse(reply: str) -> Entries:
    """Read a reply's entries by number; each has a verdict, and a letter if it is answerable.

    Raises:
        ParseError: no entry can be read.
    """
    read = [
        {key: str(entry.get(key)).strip() for key in _KEYS} for entry in objects(answer_of(reply))
    ]
    entries = {
        int(entry["number"]): entry
        for entry in read
        if entry["number"].isdecimal()
        and entry["verdict"] in _VERDICTS
        and (entry["scenario"] in SCENARIOS or not _VERDICTS[entry["verdict"]])
    }
    if not entries:
        raise ParseError("the reply has no entry with number, scenario and verdict")
    return entries


def _schema(n_figures: int) -> dict[str, Any]:
    entry = closed(
        number=one_of(*range(1, n_figures + 1)),
        reasoning=text(240),
        answer=text(60),
        scenario=one_of("A", "B", "C", "D"),
        verdict=one_of(*_VERDICTS),
    )
    return closed(figures=listed(entry, most=n_figures, least=n_figures))


OPERATION: Operation[AnswerabilityInputs, Entries] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=AnswerabilityInputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=4096),
    schema=_schema(FIGURES_OF_A_CALL),
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
    return [
        sorted(batch, key=lambda span: (span.start_char, span.figure.start_char))
        for batch in batches
    ]


def passages_of(spans: Sequence[FoundSpan]) -> str:
    """Write spans' sentences between their neighbours, the n-th figure as `[n]` or `[n, form]`."""
    gaps: dict[int, str] = {}  # start of a sentence -> with its gaps
    for number, span in reversed([*enumerate(spans, 1)]):  # later figures first
        sentence, figure = gaps.get(span.start_char, span.sentence), span.figure
        form = form_of(figure.text)
        gap = f"[{number}]" if form == NEITHER else f"[{number}, {form}]"
        gaps[span.start_char] = sentence[: figure.start_char] + gap + sentence[figure.end_char :]
    shown = {span.sentence: gaps[span.start_char] for span in spans}
    passages: list[str] = []
    previous: list[str] = []
    for span in {span.start_char: span for span in spans}.values():
        before, after = (shown.get(line, line) for line in (span.before, span.after))
        lines = [" ".join(line.split()) for line in (before, gaps[span.start_char], after)]
        passages.append("\n".join(line for line in lines if line and line not in previous))
        previous = lines
    return "\n\n".join(filter(None, passages))


def poll(
    panel: Sequence[Engine], batches: Sequence[tuple[str, Sequence[FoundSpan]]]
) -> dict[str, list[Vote]]:
    """Ask each model about batches of figures and their tables; return votes by span_id."""
    questions = [
        Question(
            spans[0].span_id,
            AnswerabilityInputs(tables, passages_of(spans)),
            schema=_schema(len(spans)),
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


def _vote(span: FoundSpan, model: str, reply: Reply[Entries], number: int) -> Vote:
    entry: Any = (reply.value or {}).get(number)
    truth = span.figure.text
    return Vote(
        vote_id=stable_id("vote", span.span_id, model),
        span_id=span.span_id,
        model=model,
        is_answerable=entry and _VERDICTS[entry["verdict"]],
        answer=entry and entry["answer"],
        is_reached=entry and compared(entry["answer"], truth, truth, "strict").correct,
        mask_type=entry and next((key for key in SCENARIOS if key == entry["scenario"]), None),
        unread_reason=None if entry else reply.error or NOT_ANSWERED,
        rationale=entry and entry["reasoning"],
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
