"""Rules for the operations of FailSafeQA."""

from __future__ import annotations

from tasks.baseline.failsafeqa import (
    answer,
    answer_rule,
    choice,
    citations,
    dialogue,
    incomplete,
    out_of_domain,
    rating,
    refusal_rule,
    rewriting,
    same_answer,
    scope,
    support,
)
from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.failsafeqa.judge.compliance import OPERATIONS, RUBRICS

RULES: Rules = {
    "write_dialogue": Rule(dialogue.reply),
    "rate_pair": Rule(rating.reply),
    "choose_query": Rule(choice.reply),
    "rewrite_query": Rule(rewriting.reply),
    "cite_longcite": Rule(citations.reply_in_longcite),
    "cite_json": Rule(citations.reply_in_json),
    "check_support": Rule(support.reply),
    "perturb_incomplete": Rule(incomplete.reply),
    "perturb_out_of_domain": Rule(out_of_domain.reply),
    "check_same_answer": Rule(same_answer.reply),
    "check_irrelevant": Rule(scope.reply),
    "answer_neutral": Rule(answer.reply, bold=answer.bold_reply),
    "answer_coached": Rule(answer.reply, bold=answer.bold_reply),
} | {
    operation.name: Rule(answer_rule.reply if rubric == "answerable" else refusal_rule.reply)
    for operations in OPERATIONS.values()
    for rubric, operation in zip(RUBRICS, operations, strict=True)
}
