"""Normalise characters that filings write in many ways."""

from __future__ import annotations

import re

_PLAIN = {
    **{code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)},
    **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x200E, 0x200F, 0xFFFE), None),
    **dict.fromkeys((0xA0, 0x2007, 0x202F, 0x2028, 0x2029), " "),
    0x2010: "-",
    0x2011: "-",
    0xF0B7: "•",  # Symbol's bullet
    0xF0A7: "•",  # Wingdings' square bullet
    0xF0FE: "☒",  # Wingdings' boxes
    0xF0A8: "☐",
    0xF06F: "☐",
    0xF0A3: "☐",
}
_ODD = re.compile(
    "[\x80-\xa0\xad‐‑\u2007\u200b-\u200f\u2028\u2029\u202f\u2060\ufeff\ufffe\uf06f\uf0a3-\uf0fe]"
)


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
    return text.translate(_PLAIN) if _ODD.search(text) else text
