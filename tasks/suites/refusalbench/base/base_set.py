"""The step `base`: the questions that are perturbed, with their pairs and unperturbed contexts.

Questions are drawn in turns over kinds of answer and filings; a third is answered in words. Each
question that is not drawn is a reject.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.inference.replies import read_text
from tasks.inference.schemas import closed, text
from tasks.suites.judge import ask_all
from tasks.suites.refusalbench.base.answers import is_right
from tasks.suites.refusalbench.judge.model import MULTI, SINGLE, is_good, question_on
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.passages import context_of_passages, shown_text
from tasks.suites.refusalbench.rows import BaseAnswer, BaseQuestion
from tasks.suites.shared.contexts import ContextInputs
from tasks.suites.suite import Role, Step, StepInputs

UNREAD = "a reply of the panel could not be read"
WRONG = "a model of the panel answered wrong"
NOT_DRAWN = "more than --base-questions"

KIND = "passages"  # of contexts
_ASKED = 3  # questions that the panel is asked for each of the base set
_MOST = 2  # questions of a filing, in shares of an equal division

PANEL = Role(
    name="base_panel",
    help="Models that must answer a question right before it is perturbed; the first of them also "
    "compares answers in words. None by default.",
    default=(),
    models=(1, None),
)


ANSWER_BASE: Operation[ContextInputs, str] = Operation(
    name="panel_answer",
    template="refusalbench/panel_answer",
    inputs=ContextInputs,
    parse=partial(read_text, key="answer"),
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(answer=text(200)),
)


def build_base(inputs: StepInputs) -> Iterator[QAPair | Context | BaseAnswer | Reject]:
    """Draw the base set of each setting, and make its pairs and contexts."""
    options: RefusalBenchOptions = inputs.options
    panel = inputs.engines.get(PANEL.name, ())
    by_setting: dict[str, list[BaseQuestion]] = defaultdict(list)
    for question in inputs.rows(BaseQuestion):
        by_setting[question.setting].append(question)
    drawn = {
        setting: balanced(of, options.base_questions * _ASKED, inputs.seed) if panel else of
        for setting, of in by_setting.items()
    }
    answers: dict[str, list[BaseAnswer]] = defaultdict(list)
    questions = [one for of in drawn.values() for one in of] if panel else []
    for answer in answer_base(questions, panel):
        answers[answer.base_question_id].append(answer)
        yield answer
    contexts: set[str] = set()
    for setting, candidates in by_setting.items():
        right = [one for one in drawn[setting] if not _fault(answers[one.base_question_id])]
        base = balanced(right, options.base_questions, inputs.seed)
        in_base = {question.base_question_id for question in base}
        for question in base:
            texts = [passage.text for passage in question.passages]
            context = context_of_passages(KIND, question.passages, texts, inputs.encoding)
            if context.context_id not in contexts:
                contexts.add(context.context_id)
                yield context
            yield _pair(question, context, "right" if panel else "none")
        for question in candidates:
            if question.base_question_id not in in_base:
                yield _reject(question, answers[question.base_question_id])


def answer_base(questions: Sequence[BaseQuestion], panel: Sequence[Engine]) -> Iterator[BaseAnswer]:
    """Have each model of the panel answer each question unperturbed.

    What no rule can compare, the first model judges, as it judges models under test.
    """
    texts = [shown_text([passage.text for passage in each.passages]) for each in questions]
    subjects = [
        Question(question.base_question_id, ContextInputs(text, question.query))
        for question, text in zip(questions, texts, strict=True)
    ]
    for engine in panel:
        replies = ask(engine, ANSWER_BASE, subjects)
        answers = [
            BaseAnswer(
                base_answer_id=stable_id("base answer", question.base_question_id, engine.model),
                base_question_id=question.base_question_id,
                model=engine.model,
                answer=reply.value,
                is_right=None
                if reply.value is None
                else is_right(reply.value, question.answers, question.query),
                unread_reason=reply.error,
                request_id=reply.request.request_id,
            )
            for question, reply in zip(questions, replies, strict=True)
        ]
        undecided = [
            _judging(question, text, answer)
            for question, text, answer in zip(questions, texts, answers, strict=True)
            if answer.answer is not None and answer.is_right is None
        ]
        verdicts = ask_all(panel[0], undecided)
        for answer in answers:
            verdict = verdicts.get(answer.base_answer_id)
            yield answer if verdict is None else replace(answer, is_right=is_good(verdict.value))


def _judging(question: BaseQuestion, text: str, answer: BaseAnswer) -> tuple[Any, Question[Any]]:
    relevant = [place for place, passage in enumerate(question.passages) if passage.is_signal]
    operation, inputs = question_on(
        relevant if question.setting == "multi" else (),
        context=text,
        query=question.query,
        reference=" OR ".join(question.answers),
        reply=answer.answer or "",
    )
    return operation, Question(answer.base_answer_id, inputs)


STEP = Step(
    name="base",
    version=5,
    run=build_base,
    writes=(QAPair, Context, BaseAnswer),
    reads=("questions",),
    asks={PANEL.name: (ANSWER_BASE, SINGLE, MULTI)},
    options=("base_questions", "encoding", "seed"),
    most=lambda options, models: options.base_questions * len(options.settings),
)


def balanced(questions: Sequence[BaseQuestion], n: int, seed: int) -> list[BaseQuestion]:
    """Draw up to `n` questions, each time of the kind and filing with fewest so far.

    A third is answered in words, if there are as many. No filing has more than twice its share.
    """
    most = -(-_MOST * n // max(1, len({*map(_filing_of, questions)})))
    left = sorted(
        questions, key=lambda question: stable_rng(seed, "base", question.base_question_id).random()
    )
    counts = Counter[str]()  # by kind, and by filing
    drawn: list[BaseQuestion] = []
    while left and len(drawn) < n:
        n_words = counts["text"]
        turns = {True: 2 * n_words, False: len(drawn) - n_words}
        best = min(
            left,
            key=lambda question: (
                turns[question.answer_kind == "text"],
                counts[question.answer_kind],
                counts[_filing_of(question)],
            ),
        )
        left.remove(best)
        if counts[_filing_of(best)] < most:
            drawn.append(best)
            counts.update((best.answer_kind, _filing_of(best)))
    return drawn


def _filing_of(question: BaseQuestion) -> str:
    """Return the document that the answer is cited from; a file's question is its own."""
    first = next(passage for passage in question.passages if passage.is_signal)
    return first.document_id or question.base_question_id


def _fault(answers: Sequence[BaseAnswer]) -> str | None:
    if any(answer.is_right is None for answer in answers):
        return UNREAD
    return None if all(answer.is_right for answer in answers) else WRONG


def _pair(question: BaseQuestion, context: Context, panel: str) -> QAPair:
    signal = (passage.text for passage in question.passages if passage.is_signal)
    return QAPair(
        qa_pair_id=question.base_question_id,
        context_id=context.context_id,
        query=question.query,
        answer=" OR ".join(question.answers),
        task=question.setting,
        citation_text="\n\n".join(signal),
        traits={
            "answer_kind": question.answer_kind,
            "panel": panel,  # none: no model was asked; right: all were right
        },
    )


def _reject(question: BaseQuestion, answers: Sequence[BaseAnswer]) -> Reject:
    wrong = [
        f"{answer.model}: {answer.unread_reason or answer.answer}"
        for answer in answers
        if not answer.is_right
    ]
    detail = "; ".join([f"{question.query} {' OR '.join(question.answers)}", *wrong])[:500]
    reason = _fault(answers) or NOT_DRAWN
    return reject_of("base", question.base_question_id, reason, detail)
