"""Recognise Items that only refer to the annual report to shareholders (Exhibit 13)."""

from __future__ import annotations

import re

from tasks.text.sentences import split_sentences

_REPORT = re.compile(
    r"(?<!this )(?<!this \d{4} )annual\s+report\b"
    r"(?!\s+(?:pursuant|on(?!\s+pages?)|under\s+(?:the\s+)?s?e[cx]\w+)\b)"
    r"|exhibits?\s*\(?13[a-z]?\b|\bEX-13\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"incorporat|by\s+reference|refer\b|reference\s+is\s+made|can\s+be\s+found|reported\s+on"
    r"|(?:set\s+forth|appear\w*|contained|included|presented|found|shown|see|filed|attached)\b"
    r"|\bpages?\s+\d",
    re.IGNORECASE,
)
_MOST_PROSE = 2_000  # characters beside a reference; an Item with text of its own has more
_LONGEST_REFERENCE = 30_000  # characters with lists of statements


def refers_to_annual_report(text: str) -> bool:
    """Whether an Item's text is a reference to the annual report to shareholders.

    It may have a few sentences of its own.
    """
    if len(text) > _LONGEST_REFERENCE or not _REPORT.search(text):
        return False
    sentences = [text[start:end] for start, end in split_sentences(text)]
    own = [sentence for sentence in sentences if not _is_reference(sentence)]
    prose = sum(len(sentence) for sentence in own if sentence.endswith("."))
    return len(own) < len(sentences) and prose <= _MOST_PROSE


def _is_reference(sentence: str) -> bool:
    return bool(_REPORT.search(sentence) and _REFERS.search(sentence))
