"""Rules for the operations of RefusalBench."""

from __future__ import annotations

from tasks.baseline.refusalbench import plays
from tasks.inference.engines.extractive import Rule, Rules

RULES: Rules = {
    "generate_single": Rule(plays.generate_single),
    "generate_multi": Rule(plays.generate_multi),
}
