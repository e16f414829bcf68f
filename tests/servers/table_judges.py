"""Scripted players of TableQuest that also judge: no language models, and said so.

`python tests/servers/chat_server.py --reply-rule tests.servers.table_judges:reply` answers as
`players` does, and judges by whether a reply's answer holds the reference answer. A judge whose
name starts with `first` always prefers the answer shown first.
"""

from __future__ import annotations

import json
import re

from tasks.suites.tablequest.judge.reading import read_answer
from tests.servers import players

_ASKS = re.compile("answer_is|better_model|critique_points")
_REFERENCE = re.compile(
    r"\[Reference answer\]\n(.*?)\n\[End of the reference answer\]\n.*?"
    r"carry the mark ([0-9a-f]+)\. (.*)",
    re.DOTALL,
)


def reply(prompt: str, model: str) -> str:
    """Judge if the prompt asks for a verdict, and else answer as a player."""
    match = _REFERENCE.search(prompt) if _ASKS.search(prompt) else None
    if match is None:
        return players.reply(prompt, model)
    reference, fence, rest = match.groups()
    texts = re.findall(
        rf"^\[(?:Reply|Answer)[^\n]* {fence}\]\n(.*?)\n\[End", rest, re.DOTALL | re.M
    )
    right = [reference in read_answer(text).answer for text in texts]
    reason = f"The reference is {reference}; replies that hold it: {sum(right)} of {len(right)}."
    if len(right) == 2:
        sound = "tie" if right[0] == right[1] else "model_1" if right[0] else "model_2"
        better = "model_1" if model.startswith("first") else sound
        return json.dumps({"rationale": reason, "better_model": better})
    if "critique_points" in prompt:
        failures = [] if right[0] else ["retrieval"]
        points = 3 if right[0] else 1
        return json.dumps(
            {"critique": reason, "failure_classes": failures, "critique_points": points}
        )
    return json.dumps({"reason": reason, "answer_is": "correct" if right[0] else "wrong"})
