"""Rules for the operations of FailSafeQA: they ask about facts, and accept what they wrote."""

from __future__ import annotations

from tasks.baseline.failsafeqa import answer, judging, questions
from tasks.baseline.failsafeqa.judging import Acceptance
from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.failsafeqa.judge.compliance import OPERATIONS, RUBRICS
from tasks.suites.failsafeqa.perturbations.rewriting import SAME

RULES: Rules = {
    "write_dialogue": Rule(questions.write_dialogue),
    "choose_query": Rule(questions.choose_query),
    "rewrite_query": Rule(questions.rewrite_query),
    "perturb_incomplete": Rule(questions.shorten_query),
    "perturb_out_of_domain": Rule(questions.use_plain_words),
    "rate_pair": Rule(Acceptance("Rating: 5")),
    "check_support": Rule(Acceptance("Verdict: yes")),
    "check_same_answer": Rule(Acceptance(f"Verdict: {SAME}")),
    "check_irrelevant": Rule(Acceptance("Verdict: not answerable")),
    "cite_longcite": Rule(answer.cite_in_longcite),
    "cite_json": Rule(answer.cite_in_json),
    "answer_neutral": Rule(answer.reply, bold=answer.bold_reply),
    "answer_coached": Rule(answer.reply, bold=answer.bold_reply),
} | {
    operation.name: Rule(judging.judge_answer if rubric == "answerable" else judging.judge_refusal)
    for operations in OPERATIONS.values()
    for rubric, operation in zip(RUBRICS, operations, strict=True)
}
