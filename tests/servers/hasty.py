"""A scripted candidate for demonstrations: no language model, and said so.

`python tests/servers/chat_server.py --model hasty --reply-rule tests.servers.hasty:answer` answers the prompts of
`tasks/prompts/answers/grounded.txt`. It reads the first two thirds of a document, takes what fits best for the answer,
and by a hash of the prompt gets one figure in eight wrong and refuses one question in sixteen: so tables, tests
and pages have something to tell apart.
"""

from __future__ import annotations

import re

from tasks.answers.grounded import NOT_IN_DOCUMENT, Inputs, bold_rule
from tasks.ids import sha256_hex

_PROMPT = re.compile(r"\[Start of document\]\n(.*)\n\[End of document\]\s+Question: (.*)", re.DOTALL)
_DIGIT = re.compile(r"\d(?=\D*\Z)")  # the last


def answer(prompt: str) -> str:
    """The reply to a prompt; to one without a question, such as a primer, that there is none."""
    asked = _PROMPT.search(prompt)
    if asked is None:
        return "There is no question."
    context, query = asked.groups()
    drawn = int(sha256_hex(prompt)[:8], 16)
    if drawn % 16 == 0:
        return NOT_IN_DOCUMENT
    reply = bold_rule(Inputs(context=context[: len(context) * 2 // 3], query=query))
    if drawn % 8 == 1:
        return _DIGIT.sub(lambda digit: str((int(digit[0]) + 3) % 10), reply)
    return reply
