"""The step `base`: the questions that are perturbed, with their pairs and unperturbed contexts.

Questions are drawn in turns over kinds of answer, sectors and filings. Each question that is not
drawn is a reject.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Context, QAPair, Reject
from tasks.suites.refusalbench.base.panel import ANSWER_BASE, PANEL, answer_base
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.passages import context_of_passages
from tasks.suites.refusalbench.rows import BaseAnswer, BaseQuestion
from tasks.suites.suite import Step, StepInputs

UNREAD = "a reply of the panel could not be read"
WRONG = "a model of the panel answered wrong"
NOT_DRAWN = "more than --base-questions"

KIND = "passages"  # of contexts
_ASKED = 3  # questions that the panel is asked for each of the base set
_MOST = 2  # questions of a filing, in shares of an equal division


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
    asked = [each for of in drawn.values() for each in of] if panel else []
    for answer in answer_base(asked, panel):
        answers[answer.base_question_id].append(answer)
        yield answer
    contexts: set[str] = set()
    for setting, candidates in by_setting.items():
        right = [each for each in drawn[setting] if not _fault(answers[each.base_question_id])]
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


STEP = Step(
    name="base",
    version=3,
    run=build_base,
    writes=(QAPair, Context, BaseAnswer),
    reads=("questions",),
    asks={PANEL.name: (ANSWER_BASE,)},
    options=("base_questions", "encoding", "seed"),
    most=lambda options, models: options.base_questions * len(options.settings),
)


def balanced(questions: Sequence[BaseQuestion], n: int, seed: int) -> list[BaseQuestion]:
    """Draw up to `n` questions, each time of the kind, sector and filing with fewest so far.

    No filing has more than twice its share.
    """
    filings = [_filing_of(question) for question in questions]
    most = -(-_MOST * n // max(1, len({*filings})))
    ranks = [stable_rng(seed, "base", each.base_question_id).random() for each in questions]
    left = sorted(range(len(questions)), key=lambda place: ranks[place])
    kinds, sectors, of_filing = Counter[str](), Counter[str](), Counter[str]()
    found: list[BaseQuestion] = []
    while left and len(found) < n:
        best = min(
            left,
            key=lambda place: (
                kinds[questions[place].answer_kind],
                sectors[questions[place].sector],
                of_filing[filings[place]],
            ),
        )
        left.remove(best)
        if of_filing[filings[best]] < most:
            found.append(questions[best])
            kinds[questions[best].answer_kind] += 1
            sectors[questions[best].sector] += 1
            of_filing[filings[best]] += 1
    return found


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
    reason = _fault(answers) or NOT_DRAWN
    said = [
        f"{answer.model}: {answer.unread_reason or answer.answer}"
        for answer in answers
        if not answer.is_right
    ]
    return Reject(
        reject_id=stable_id("reject", "base", question.base_question_id),
        stage="base",
        parent_id=question.base_question_id,
        reason=reason,
        detail="; ".join([f"{question.query} {' OR '.join(question.answers)}", *said])[:500],
    )
