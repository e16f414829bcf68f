"""Read the article IDs of a reply: `paper` as the authors do (paper 002, figure 8), or `strict`.

`strict` reads JSON, else last lines of IDs alone, else words that nothing fits: no digit of prose.
Of one article, `read_verdict` reads whether it fits.
"""

import json
import re
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from tasks.inference.replies import ParseError, split_thoughts
from tasks.text.json_replies import json_values, objects

Reader = Literal["strict", "paper"]
# the IDs as listed; `json`, `fallback` if the reply is no JSON as a whole, or `none` without a list
FoundIds = NamedTuple("FoundIds", [("listed", list[int]), ("kind", str)])  # noqa: UP014
_KEY = re.compile(r"(?:article\W?_?)?ids?|articles", re.IGNORECASE)
_LINE = re.compile(  # IDs alone, or behind words that announce them; a title may follow
    r"(?i)[^\w{\[]*(?:(?:the|final|answer|output|matching|list|of|articles?|(?:article_)?ids?|are|is)"
    r"[^\w{\[]+)*(?!\d+,\d{3}\W*\Z)(\d{1,9}(?:[\s,;]+(?:(?:and|article|id)\W+)*\d{1,9})*)"
    r"[^\w%(\]}]*(?:(?:date|title):.*)?"
)
_OPEN = re.compile(  # whole entries of a list that was cut off, or has no braces around it
    rf"(?i)(?:{_KEY.pattern})[\"'\s]*[:=][\"'\s]*\["
    r"((?:\s*(?:[\"'][^\"'\n]*[\"']\s*,?|\d{1,9}\s*(?:,|(?=\]))))*)(\s*\])?"
)
_NOTHING = re.compile(r"(?i)\b(?:none|nothing|(?:no|any) (?:\w+ ){0,2}(?:articles?|match\w*))\b")
_OTHERS = re.compile(r"(?i)n[o'’]t\b.*:|\bother|exclud")  # articles that do not fit
# a word alone, or before a remark
_FITS = re.compile(
    r"(?i)[\s*_`\"']*(?:fits[\"']?\s*[:=][\s\"']*)?(yes|no)[*_`\"']*\s*(?:[.,;:!–—-]|\n|\Z)"
)
_SAYS = {"yes": True, "true": True, "no": False, "false": False}


def read_ids(text: str, reader: Reader) -> FoundIds:
    """Read the article IDs of a reply as `strict` or `paper` does."""
    text, listed, kind = split_thoughts(text)[0], None, "json"
    try:
        listed = _in_value(json.loads(text))
    except (ValueError, RecursionError):
        kind = "fallback"
        with suppress(RecursionError):
            listed = None if reader == "paper" else _in_text(text)
    if listed is None and reader == "paper" and text.strip():
        listed = [int(ids[:4_000]) for ids in re.sub("[^0-9,]", "", text).split(",") if ids]
    return FoundIds(listed or [], "none" if listed is None else kind)


def _in_value(value: Any) -> list[int] | None:
    if value in (None, "", "[]"):
        return []
    if isinstance(value, dict):
        named = [inner for key, inner in value.items() if _KEY.fullmatch(key)]
        named = named or [inner for inner in value.values() if isinstance(inner, dict)]
        return _in_value(named[-1]) if named else None if value else []
    if isinstance(value, list):
        lists = [ids for entry in value if (ids := _in_value(entry)) is not None]
        return [number for ids in lists for number in ids] if lists or not value else None
    return _in_lines([str(value)]) if type(value) in (str, int) else None


def _in_text(text: str) -> list[int] | None:
    rest = re.split(r"[\]}]", text)[-1]
    if (listed := _in_lines(list(filter(str.strip, rest.splitlines())))) is not None:
        return listed
    values, opened = list(json_values(text, strict=False)), _OPEN.findall(text)
    lists = [_in_value(value) for value in values if isinstance(value, dict) or not opened]
    for entries, end in opened if not lists else [cut for cut in opened if not cut[1]]:
        whole = [name or number for name, number in re.findall(r"[\"']([^\"']*).|(\d+)", entries)]
        lists.append(_in_value(whole) if whole or end else None)
    listed = next((ids for ids in reversed(lists) if ids is not None), None)
    is_about_all = listed is None or "answer" in rest.casefold()
    return [] if is_about_all and _NOTHING.search(rest) and not _OTHERS.search(rest) else listed


def _in_lines(lines: list[str]) -> list[int] | None:
    listed: list[int] = []
    for line in reversed(lines):
        match = _LINE.fullmatch(line)
        ids = [int(number) for number in re.findall(r"\d+", match[1])] if match else []
        if not ids or (listed and len(ids) > 1):
            return None if not listed or _OTHERS.search(line) else listed
        listed = ids + listed
    return listed or None


def read_verdict(reply: str) -> bool:
    """Read whether a reply says that the only article fits.

    Raises:
        ParseError: it says neither, or both.
    """
    reply = split_thoughts(reply)[0]
    values = [item["fits"] for item in objects(reply) if "fits" in item]
    if not values and (word := _FITS.match(reply)):
        values = [word[1]]
    verdicts = {_SAYS.get(str(value).strip(" .!*").casefold()) for value in values}
    if len(verdicts) != 1 or None in verdicts:
        raise ParseError("the reply says neither yes nor no, or both")
    return bool(verdicts.pop())
