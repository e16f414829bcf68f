"""FailSafeQA: robustness to bad queries and scans, and refusal without context.

Kamble et al. 2025, "Expect the Unexpected: FailSafe Long Context QA for Finance".
"""

from tasks.suites.failsafeqa import (
    answer,
    contexts,
    judge,
    metrics,
    pairs,
    perturbations,
    published,
)
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.failsafeqa.page import PAGE, PAPER
from tasks.suites.suite import Role, Suite

SUITE = Suite(
    name="failsafeqa",
    title="FailSafeQA",
    description=(
        "Questions on SEC annual reports (Form 10-K), each asked unchanged and then made harder: "
        "misspelled, cut short, in a layman's words, on a scanned copy, without a document, or on "
        "a document that lacks the answer."
    ),
    paper=PAPER,
    options=FailSafeQAOptions,
    roles=(
        Role(name="generator", help="Model that writes, rates, rewrites and perturbs questions."),
        Role(name="citer", help="Model that finds the sentences behind an answer."),
    ),
    build=(contexts.STEP, pairs.STEP, *perturbations.STEPS),
    answers=tuple(answer.OPERATIONS.values()),
    answers_of=lambda options: (answer.OPERATIONS[options.prompt],),
    operation_of=lambda case, options: answer.OPERATIONS[options.prompt],
    asked_by=("prompt",),
    judges=judge.JUDGES,
    metrics={"llmc": metrics.LLM_COMPLIANCE},
    published=published.PUBLISHED,
    page=PAGE,
)
