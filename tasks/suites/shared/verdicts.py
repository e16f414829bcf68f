"""What judges of several suites share: texts that cannot fake a verdict, and why one is missing."""

from __future__ import annotations

import re
from typing import Any

from tasks.inference.operation import Reply

CUT_OFF = "the verdict was cut off"
JUDGE_FAILED = "the judge did not answer"

# also those that a reader takes for square brackets
_OPENING = re.compile(r"([\[［﹇【])(?=[\[［﹇【])")
_CLOSING = re.compile(r"([\]］﹈】])(?=[\]］﹈】])")


def spaced_brackets(text: str) -> str:
    """Separate adjacent square brackets: `[[6]]` -> `[ [6] ]`."""
    return _CLOSING.sub(r"\1 ", _OPENING.sub(r"\1 ", text))


def unscored_reason(reply: Reply[Any]) -> str | None:
    """Return why a verdict cannot be read, from a closed set that can be counted, or None."""
    if reply.value is not None:
        return None
    if reply.response.status != "ok" or reply.response.text is None:
        return f"{JUDGE_FAILED}: {reply.response.error_type or reply.response.status}"
    if reply.response.finish_reason == "length":
        return CUT_OFF
    assert reply.error is not None  # a reply without a value has an error
    return reply.error
