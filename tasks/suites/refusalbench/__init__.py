"""RefusalBench: perturbed questions on 10-K passages that a model should refuse, by reason.

Muhamed et al. 2025, "RefusalBench: Generative Evaluation of Selective Refusal".
"""

from __future__ import annotations

from tasks.suites.refusalbench import answer, cases, generation, judge, verification
from tasks.suites.refusalbench.base import base_set, questions
from tasks.suites.refusalbench.base.base_file import SOURCE
from tasks.suites.refusalbench.metrics import METRICS
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.page import PAGE, PAPER
from tasks.suites.refusalbench.published import PUBLISHED
from tasks.suites.suite import Suite

SUITE = Suite(
    name="refusalbench",
    title="RefusalBench",
    description=(
        "Questions on passages of SEC annual reports (Form 10-K), perturbed by one of 176 levers. "
        "At low intensity they can still be answered; otherwise a model should refuse, for one of "
        "six reasons."
    ),
    paper=PAPER,
    options=RefusalBenchOptions,
    roles=(questions.WRITER, base_set.PANEL, generation.GENERATOR, verification.VERIFIER),
    sources={"base_file": SOURCE},
    build=(questions.STEP, base_set.STEP, generation.STEP, verification.STEP, cases.STEP),
    answers=tuple(answer.OPERATIONS.values()),
    answers_of=lambda options: tuple(answer.OPERATIONS[name] for name in options.answer_prompts),
    operation_of=lambda case, options: answer.OPERATIONS[case.traits["prompt"]],
    asked_by=("answer_prompts",),
    judges=judge.JUDGES,
    metrics=METRICS,
    published=PUBLISHED,
    page=PAGE,
)
