"""Rules for the operations of TableQuest."""

from __future__ import annotations

from tasks.baseline.tablequest import answering, verification, writing
from tasks.inference.engines.extractive import Rule, Rules

RULES: Rules = {
    "write_warmup": Rule(writing.write_warmup),
    "write_easy": Rule(writing.write_easy),
    "write_medium": Rule(writing.write_medium),
    "write_hard": Rule(writing.write_hard),
    "rederive": Rule(answering.reply),
    "verify_question": Rule(verification.reply),
    "answer": Rule(answering.reply),
    "answer_markdown": Rule(answering.reply),
    "answer_csv": Rule(answering.reply),
}
