"""One filing's bytes -> the rows that ingest writes."""

from __future__ import annotations

import re

from tasks.edgar.blocks import Block
from tasks.edgar.files import decode
from tasks.edgar.html_blocks import read_html
from tasks.edgar.plain_blocks import read_plain
from tasks.edgar.submission import read_submission

_HTML = re.compile(r"<(?:html|body|div|p|font|td)\b[^>]*>", re.IGNORECASE)


def is_html(source: str) -> bool:
    """Whether a main document is written in HTML rather than in plain text with SGML table marks."""
    return bool(_HTML.search(source, 0, 20_000))


def blocks_of(data: bytes) -> list[Block]:
    """The readable blocks of a filing's main document.

    Raises:
        Rejected: the bytes are not text, or hold no annual report.
    """
    source = read_submission(decode(data)).text
    return read_html(source) if is_html(source) else read_plain(source)
