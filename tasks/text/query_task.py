"""Tell queries that ask for an answer from those that ask for a text.

Paper 000, figure "The Dataset", has 83 % qa and 17 % tg.
"""

from __future__ import annotations

import re

_POLITE = (
    r"(?:(?:please|pls|now|then|ok|and|can you|could you|would you|i need you to|"
    r"i want you to)\W+)*"
)
_TEXTS = (
    r"(?:tables?|summar(?:y|ies)|lists?|notes?|e-?mails?|posts?|paragraphs?|reports?|memos?|blogs?|articles?|"
    r"overviews?|outlines?|bullets?|bullet points|letters?|press releases?|"
    r"slides?|tweets?|html|texts?|sentences?)"
)
_WRITING = re.compile(
    rf"\W*{_POLITE}(?:(?:write|draft|compose|summari[sz]e|paraphrase|rewrite|rephrase|reformat|shorten|condense|"
    r"prepare|outline|list|tabulate|bullet|turn|translate)\b|"
    rf"(?:create|make|generate|produce|give me|provide|build|put|need|i need)"
    rf"\W+(?:\w+\W+){{0,4}}?{_TEXTS}\b|"
    rf"(?:an?\W+|one\W+|short\W+|html\W+|bullet\W+)*{_TEXTS}\W+(?:of|on|about|for|with)\b)",
    re.IGNORECASE,
)


def task_of(query: str) -> str:
    """Return `tg` for a request to write, summarise, list or tabulate, else `qa`."""
    return "tg" if _WRITING.match(query) else "qa"
