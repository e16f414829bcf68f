"""What a reader of the report's page sees besides its figures."""

from __future__ import annotations

import re
from html import unescape

_BLOCK = r"</?(?:section|h\d|p|tr|dt|dd|li|div|figure|summary|header)\b[^>]*>"


def text_before(html: str, section: str) -> str:
    """The text up to a section, each block on a line.

    What begins with `provenance` has hashes of code and versions of packages.
    """
    shown = html[: html.rindex("<", 0, html.index(f'id="{section}"'))]
    shown = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", shown, flags=re.DOTALL)
    lines = [" ".join(re.sub(r"<[^>]*>", " ", block).split()) for block in re.split(_BLOCK, shown)]
    return unescape("\n".join(line for line in lines if line))
