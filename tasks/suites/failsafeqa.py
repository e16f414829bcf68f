"""FailSafeQA: are answers robust to clumsy queries and bad scans, and refused without grounds?

Kamble et al. 2025, "Expect the Unexpected: FailSafe Long Context QA for Finance".
"""

from __future__ import annotations

from tasks import perturbations
from tasks.answers import grounded as answer
from tasks.citations import cited, json_spans, longcite, support
from tasks.datasets import failsafeqa as dataset
from tasks.judges import attacks, compliance
from tasks.questions import choice, dialogue, grounded, rating, rewriting
from tasks.schemas import Case
from tasks.suites import Suite, by_name


def _answer_inputs(case: Case, context: str) -> answer.Inputs:
    return answer.Inputs(context=context, query=case.query)


SUITE = Suite(
    name="failsafeqa",
    description="robustness to query and context failures, context grounding, LLM Compliance",
    write=grounded.write,
    cite=cited.cite,
    perturbations=perturbations.PERTURBATIONS,
    answer=answer.OPERATION,
    answer_inputs=_answer_inputs,
    judge=compliance.judge,
    attacks=attacks.judge_attacks,
    operations=by_name(
        dialogue.OPERATION,
        rating.OPERATION,
        choice.OPERATION,
        rewriting.OPERATION,
        longcite.OPERATION,
        json_spans.OPERATION,
        support.OPERATION,
        *perturbations.OPERATIONS.values(),
        answer.OPERATION,
        *compliance.OPERATIONS,
    ),
    load_dataset=dataset.load,
    reports=(
        "dataset_statistics",
        "context_tokens",
        "query_verbs",
        "ocr_noise",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
        "judge_repeats",
        "judge_agreement",
        "judge_confusion",
        "judge_self_preference",
        "judge_attacks",
        "audit_agreement",
        "rating_classes",
        "robustness",
        "context_grounding",
        "comparisons",
        "leaderboard",
    ),
    headlines=("dataset_statistics", "rejects_by_reason", "robustness", "context_grounding"),
)
