"""Read the one request that a reply gives, whatever talk surrounds it."""

from __future__ import annotations

import re

from tasks.inference.replies import EMPTY, FINAL, FINAL_HEAD, WITHDRAWAL, WITHDRAWN, ParseError
from tasks.text.json_replies import objects

_OPENER = r"(?:sure|certainly|of course|absolutely|okay|ok|here(?:'s| is| are| you)|below is)\b"
_ADJECTIVE = (
    r"(?:the|my|your|an?|re(?:written|phrased|worded|vised)|shortened|standalone|stand-alone"
    rf"|search|new|short|incomplete|{FINAL})"
)
_NO_TEXT = re.compile(
    rf"\W*(?:(?:n/?a|none|null|nil|not applicable|unknown)\W*\Z"
    rf"|(?:i(?:'m| am)? (?:sorry|unable|afraid|not able|apolog\w+|cannot|can't|could not|couldn't"
    rf"|do not|don't (?!get)|won't)|sorry,|apologies|unfortunately|as an? (?:ai|language)"
    rf"|no (?:query|question|request|changes?|rewriting)|{_OPENER}[,!.:]?\s)\b)"
    r"|.*(?:[<>{}\[\]]|&[lg]t;)",  # markup that was not understood
    re.IGNORECASE,
)
_QUOTES = {'""', "''", "“”", "‘’", "„“", "„”", "«»", "»«", "「」", "『』", "``"}


def read_line(reply: str, names: str) -> str:
    """Read the one line of text that a reply gives.

    It is tagged, or the value of a JSON key, or labelled.

    Args:
        names: pattern of the text's names: in tags, as keys and in labels.

    Raises:
        ParseError: there is none or more than one, or it refuses.
    """
    reply = re.sub(r"^[ \t]*```\w*[ \t]*$", "", reply, flags=re.MULTILINE).strip()
    tag = rf"<((?:\w+_)?(?:{names})|answer)>((?:(?!<\1>).)*?)(?:</\1>|\Z)"
    if tagged := [*re.finditer(tag, reply, re.DOTALL | re.IGNORECASE)]:
        head = reply[: tagged[-1].start()].rpartition("\n")[2]
        if re.search(r"\w\s*\Z", head):
            raise ParseError("the reply speaks of tags, and it is not clear what they enclose")
        return _clean(_only([each[2] for each in tagged], is_final=bool(FINAL_HEAD.match(head))))
    if reply.startswith(("{", "[{")):
        key = re.compile(rf"(?!original|old|source|input|user|initial)(?:\w+[_ ])*(?:{names})")
        texts = [text for each in objects(reply) for name, text in each.items()
                 if isinstance(text, str) and key.fullmatch(name)]  # fmt: skip
        if not texts:
            raise ParseError("the reply is JSON without the text that was asked for")
        return _clean(_only(texts))
    lines = [
        re.sub(r"^[#>\s]*(?:[-•–]\s|[0-9]{1,2}[.)]\s)?|[*_]{2,}", "", line).strip()
        for line in reply.splitlines()
    ]
    lines = [line.replace("’", "'") if "’" in line[:12] else line for line in lines if line]
    label = re.compile(
        rf"(?:{_OPENER}\W+)?(?:here(?:'s| is)\W+)?(?P<head>(?:{_ADJECTIVE}\W+)*(?:{names}|version"
        rf"|{_ADJECTIVE}|in (?:everyday|plain|simple) words)(?: \([^()]*\))?"
        rf"(?:(?: is| would be)?\s*[:：]| is(?= [\"“«])))\s*(?P<text>.+)",
        re.IGNORECASE,
    )
    if labelled := [match for line in lines if (match := label.fullmatch(line))]:
        is_final = re.search(rf"\b{FINAL}\b", labelled[-1]["head"], re.IGNORECASE)
        return _clean(_only([found["text"] for found in labelled], is_final=bool(is_final)))
    raise ParseError("the reply does not mark which text it gives")


def _only(texts: list[str], *, is_final: bool = False) -> str:
    if len({text.strip() for text in texts}) > 1 and not is_final:
        raise ParseError("the reply gives several texts and marks none as final")
    return texts[-1]


def _clean(text: str) -> str:
    """Return one line without quotation marks around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise ParseError(EMPTY)
    if len(lines) > 1:
        raise ParseError("the reply has several lines, and no mark says which one is the text")
    line = lines[0].strip("*` ")
    while len(line) > 1 and line[0] + line[-1] in _QUOTES:
        line = line[1:-1].strip()
    if _NO_TEXT.match(line.replace("’", "'")) or not any(char.isalnum() for char in line):
        raise ParseError("the reply has no text: it refuses, is empty, or says that there is none")
    if WITHDRAWAL.search(line):
        raise ParseError(WITHDRAWN)
    return line
