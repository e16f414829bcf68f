"""Normalise characters that filings write in many ways."""

from __future__ import annotations

import re

_PLAIN = {
    **{chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)},
    **dict.fromkeys("\xad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\ufffe", ""),
    **dict.fromkeys("\xa0\u2007\u202f\u2028\u2029", " "),
    "\u2010": "-",
    "\u2011": "-",
    "\uf0b7": "•",  # Symbol's bullet
    "\uf0a7": "•",  # Wingdings' square bullet
    "\uf0fe": "☒",  # Wingdings' boxes
    "\uf0a8": "☐",
    "\uf06f": "☐",
    "\uf0a3": "☐",
}
_TABLE = str.maketrans(_PLAIN)
# Check boxes in Wingdings, whose font shows these letters as boxes.
_BOXES = re.compile(r"(?<!\w)[ýþ¨ü](?!\w)")
_BOX_OF = {"ý": "☒", "þ": "☑", "¨": "☐", "ü": "✓"}


def clean(text: str) -> str:
    """Return a text with plain spaces and hyphens, without invisible characters.

    C1 controls are read as the cp1252 characters they stand for.
    """
    if text.isascii():
        return text
    if "ý" in text or "þ" in text or "¨" in text or "ü" in text:
        text = _BOXES.sub(lambda box: _BOX_OF[box[0]], text)
    return text.translate(_TABLE)
