"""Text filings -> blocks."""

from __future__ import annotations

import re

from tasks.edgar.blocks import Block


def read_plain(source: str) -> list[Block]:
    """The blocks of a text document, in reading order."""
    return [Block(text=" ".join(chunk.split())) for chunk in re.split(r"\n\s*\n", source) if chunk.strip()]
