"""HTML that only carries a typewriter's page: one <p> a line in a fixed-width font, columns drawn with blanks."""

from __future__ import annotations

import html
import re

_BREAKS_PAGE = re.compile(r"<p\b[^>]*page-break-before\s*:\s*always[^>]*>", re.IGNORECASE)
_LINE_END = re.compile(r"<(?:p|br|div|tr|hr)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<\s?/?\s?[a-zA-Z!][^>]*>")
_BROKEN_BLANK = re.compile(r"&\s?n\s?b\s?s\s?p\s?;")  # a converter wrapped its lines inside entities


def is_typed(source: str) -> bool:
    """Whether most paragraphs of an HTML document are set in Courier with nothing between the lines."""
    if "Courier" not in source[:100_000]:
        return False
    n_typed = source.count("Courier")
    return (
        n_typed > 100 and n_typed > 0.5 * (source.count("<p") + source.count("<P")) and "<pre" not in source
    )


def typed_text(source: str) -> str:
    """The lines of such a document, as a text filing has them: blanks kept, pages parted by form feeds."""
    text = source[max(source.find("<body"), source.find("<BODY"), 0) :]
    text = " ".join(line.strip() for line in text.split("\n"))
    text = _BROKEN_BLANK.sub("&nbsp;", text)
    text = re.sub(r" ?&nbsp; ?", "&nbsp;", text)
    text = _BREAKS_PAGE.sub("\f\n", text)
    text = _LINE_END.sub("\n", text)
    return html.unescape(_TAG.sub("", text)).replace("\xa0", " ")
