"""Rules for the operations of FailSafeQA: they ask about facts, and accept what they wrote."""

from __future__ import annotations

from tasks.baseline.failsafeqa import answer, judging, questions
from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.failsafeqa.judge.compliance import OPERATIONS, RUBRICS

RULES: Rules = {
    "write_dialogue": Rule(questions.write_dialogue),
    "choose_query": Rule(questions.choose_query),
    "rewrite_query": Rule(questions.rewrite_query),
    "perturb_incomplete": Rule(questions.shorten_query),
    "perturb_out_of_domain": Rule(questions.use_plain_words),
    "rate_pair": Rule(judging.accept_pair),
    "check_support": Rule(judging.accept_support),
    "check_same_answer": Rule(judging.accept_rewriting),
    "check_irrelevant": Rule(judging.accept_borrowed_query),
    "cite_longcite": Rule(answer.cite_in_longcite),
    "cite_json": Rule(answer.cite_in_json),
    "answer_neutral": Rule(answer.reply, bold=answer.bold_reply),
    "answer_coached": Rule(answer.reply, bold=answer.bold_reply),
} | {
    operation.name: Rule(judging.judge_answer if rubric == "answerable" else judging.judge_refusal)
    for operations in OPERATIONS.values()
    for rubric, operation in zip(RUBRICS, operations, strict=True)
}
