"""A rule that scores the share of right words, and a model that compares two answers."""

from collections.abc import Iterator, Sequence
from dataclasses import make_dataclass
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.suites.shared.judging import Answered, AnsweredPair
from tasks.suites.suite import Judge
from tests.toy_suite.build import SHORT

SHOWN = make_dataclass("Shown", ["target", "first", "second"], frozen=True)
COMPARE = Operation("compare", "tests.toy_suite/compare", SHOWN, str.strip, SHORT)


def _recall(
    answered: Sequence[Answered], engine: Engine | None, options: Any
) -> Iterator[Judgement]:
    for each in answered:
        wanted, given = each.case.target.split(), (each.response.text or "").split()
        yield each.judgement("recall", score=sum(word in given for word in wanted) / len(wanted))


def _better(
    answered: Sequence[AnsweredPair], engine: Engine | None, options: Any
) -> Iterator[Judgement]:
    assert engine is not None
    asked = []
    for each in answered:
        texts = [one.response.text or "" for one in (each.first, each.second)]
        asked.append(Question(each.subject_id, SHOWN(each.case.target, *texts)))
    for each, reply in zip(answered, ask(engine, COMPARE, asked), strict=True):
        label = {"1": "won", "2": "lost"}.get(reply.value or "", "tie")
        yield each.judgement(engine.model, label=label, judge_request_id=reply.request.request_id)


RECALL = Judge(run=_recall)
BETTER = Judge(run=_better, asks=(COMPARE,), unit="two answers")
