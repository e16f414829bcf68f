"""Rules for the operations of RefusalBench: they perturb, check and answer; they are no models."""

from __future__ import annotations

from tasks.baseline.refusalbench import answering, checking, judging, plays
from tasks.inference.engines.extractive import Rule, Rules

RULES: Rules = {
    "answer": Rule(answering.answer, bold=answering.answer_boldly),
    "answer_confidence": Rule(answering.answer_with_confidence),
    "generate_single": Rule(plays.generate_single),
    "generate_multi": Rule(plays.generate_multi),
    "judge_single": Rule(judging.judge_single),
    "judge_multi": Rule(judging.judge_multi),
    "panel_answer": Rule(answering.answer_of_panel),
    "verify_single": Rule(checking.check_single),
    "verify_multi": Rule(checking.check_multi),
}
