"""The free engine's part of RefusalBench: facts, a template a stratum, and a reader.

They are a demonstration, by rules and unchecked; they stand for no model.
"""

from __future__ import annotations

from tasks.baseline.refusalbench import answering, templates
from tasks.inference.engines.extractive import Rule, Rules

RULES: Rules = {
    "answer": Rule(answering.answer, bold=answering.answer_boldly),
    "answer_confidence": Rule(answering.answer_with_confidence),
    "base_questions": Rule(templates.write_facts),
    "generate": Rule(templates.generate),
    "judge_single": Rule(answering.judge_single),
    "judge_multi": Rule(answering.judge_multi),
    "panel_answer": Rule(answering.answer_of_panel),
    "verify": Rule(answering.verify),
}
