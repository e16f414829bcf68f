"""A scripted candidate for demonstrations: no language model, and said so.

`python tests/servers/chat_server.py --model hasty --reply-rule tests.servers.hasty:answer` answers
the prompts of `tasks/suites/failsafeqa/prompts/neutral.txt` (FailSafeQA) and `restored.txt`
(FAITH). It reads the first two thirds of what it is shown and answers with what fits best. By a
hash of the prompt it gets one figure in eight wrong and refuses one question in sixteen. So tables,
tests and pages have something to tell apart.
"""

from __future__ import annotations

import json
import re

from tasks.baseline import faith
from tasks.baseline.failsafeqa.answer import NOT_IN_DOCUMENT, bold_reply
from tasks.core.ids import sha256_hex
from tasks.suites.failsafeqa.answer import Inputs
from tasks.suites.faith import answer as restored

_QUESTION = re.compile(
    r"\[Start of document\]\n(.*)\n\[End of document\]\s+Question: (.*)", re.DOTALL
)
_MASKED = re.compile(
    r"\[Start of tables\]\n(.*)\n\[End of tables\]\s+"
    r"Hint: the figure is one positive value, (.*?)\.\n\n"
    r"\[Start of passage\]\n(.*)\n\[End of passage\]",
    re.DOTALL,
)
_DIGIT = re.compile(r"\d(?=\D*\Z)")  # the last


def answer(prompt: str) -> str:
    """The reply to a prompt; to one without a question, such as a primer, that there is none."""
    drawn = int(sha256_hex(prompt)[:8], 16)
    if asked := _QUESTION.search(prompt):
        context, query = asked.groups()
        if drawn % 16 == 0:
            return NOT_IN_DOCUMENT
        reply = bold_reply(Inputs(context=_begun(context), query=query))
        return _wrong(reply) if drawn % 8 == 1 else reply
    if masked := _MASKED.search(prompt):
        tables, form, passage = masked.groups()
        results = json.loads(faith.reply_on_mask(restored.Inputs(_begun(tables), form, passage)))[
            "results"
        ]
        if drawn % 16 == 0:
            results["answer"] = faith.NOT_FOUND
        elif drawn % 8 == 1:
            results["answer"] = _wrong(results["answer"])
        return json.dumps({"results": results}, ensure_ascii=False)
    return "There is no question."


def _begun(text: str) -> str:
    return text[: len(text) * 2 // 3]


def _wrong(reply: str) -> str:
    return _DIGIT.sub(lambda digit: str((int(digit[0]) + 3) % 10), reply)
