"""A run's log names what has no score, and what was paid."""

from __future__ import annotations

import re
from dataclasses import replace

from flows.benchmark import benchmark
from flows.story import story_of
from tasks.inference.operation import Call
from tasks.pipeline.settings import RunSettings


def test_a_story_has_unscored_answers_and_dollars(copied: RunSettings, faulty) -> None:
    def reply(call: Call) -> str:
        return "So so." if call.request.subject_id[-1] in "0123" else "Fine.\nRating: [[4]]"

    engine = faulty("rambler", [None], identity="rambler")
    engine.reply, engine.changes = reply, {"cost_usd": 0.25}
    run = replace(copied, judge=("rambler",))
    benchmark(run)
    story = "\n".join(story_of(run))
    assert re.search(r"^Unscored: \d+ answers of extractive by rambler, ", story, re.M)
    assert f"\nCost: ${len(engine.calls) * 0.25:,.2f}\n" in story
