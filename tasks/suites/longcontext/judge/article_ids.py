"""Read the article IDs of a reply: `paper` as the authors do (paper 002, figure 8), or `strict`.

`strict` takes no digit of prose. Of several lists the last counts: earlier ones may be drafts.
"""

import json
import re
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from tasks.inference.replies import split_thoughts
from tasks.text.json_replies import json_values

Reader = Literal["strict", "paper"]
# the IDs as listed; `json`, `fallback` if the reply is no JSON as a whole, or `none` without a list
FoundIds = NamedTuple("FoundIds", [("listed", list[int]), ("kind", str)])  # noqa: UP014

_KEY, _ONE = (re.compile(k, re.I) for k in (r"(?:article\W?_?)?ids?|articles", "(?:article_)?id"))
_BROKEN = re.compile(rf"(?:{_KEY.pattern})[\"'”\s]*[:=][\"'\s]*\[([^\[\]{{}}]*)(\]?)", re.I)
_WHOLE_ENTRY = re.compile(r"[\"'“]([^\"'”]*)[\"'”]|(?:\A|,)\s*(\d{1,9})(?=\s*,)")
_LINE = re.compile(  # IDs, alone or behind words that announce them
    r"(?i)\W*(?:\d+[.)]\s+)?(?:(?:the|final|answer|output|reply|response|result|boxed|matching|list|of|"
    r"articles?|(?:article_)?ids?|are|is)\W+)*(\d{1,9}(?:[\s,;&\"'*#]+(?:(?:and|article|id)\W+)*"
    r"\d{1,9})*)(?:[^\w%(]*|\W*(?:title|date):.*)"
)
_NOTHING = re.compile(
    r"(?i)(?:\A|:)\W*(?:none|nothing|null|n/a)\b|\bnone of (?:the|these|them)\b(?! other)"
    r"|\[\s*\]\W*\Z"
    r"|(?:\bno|n[o'’]t (?:\w+ )?any) (?!other|more)(?:\w+ ){0,2}(?:article|match|result)"
)
_TITLE = re.compile(r"(?im)^[^\w\n]*(?:title|date):.*")
_OTHERS = re.compile(r"(?i)(?:n[o'’]t\b|\bother|exclud).*:\W*\Z")


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
    if isinstance(value, dict):
        named = [inner for key, inner in value.items() if _KEY.fullmatch(key)]
        named = named or [inner for inner in value.values() if isinstance(inner, dict)]
        return _in_value(named[-1]) if named else None if value else []
    if isinstance(value, list):
        lists = [ids for each in value if (ids := _in_value(each)) is not None]
        return [number for ids in lists for number in ids] if lists or not value else None
    if isinstance(value, str):
        return None if re.fullmatch(r"\d+,\d{3}", value) else _in_text(value) if value else []
    if value is None:
        return []
    return None if isinstance(value, bool) or value % 1 else [int(value)]


def _in_text(text: str) -> list[int] | None:
    values = [
        each
        for each in json_values(text, strict=False)
        if "{" in str(each) or (each and {*map(type, each)} == {int})
    ]
    ones = [each for each in values if isinstance(each, dict) and any(map(_ONE.fullmatch, each))]
    is_json, values = bool(values), [ones] if ones and ones == values else values
    broken = _BROKEN.findall(text)  # lists that were cut off, or are otherwise no JSON
    for entries, end in broken:
        whole = _WHOLE_ENTRY.findall(re.sub("//.*", "", entries) + "," * bool(end))
        if (whole or (end and not entries.strip())) and not (is_json and end):
            values.append([name or int(number) for name, number in whole])
    lists = [ids for value in values if (ids := _in_value(value)) is not None]
    rest = re.split(r"[\]}]", text)[-1]
    if not lists and not broken:
        return _in_lines(text)
    last = _in_lines(rest) if "answer" in rest.casefold() else None
    return lists[-1] if lists and last is None else last


def _in_lines(text: str) -> list[int] | None:
    listed, is_open, is_other = None, False, False
    for line in filter(str.strip, _TITLE.sub("", text).splitlines()):
        match, is_final = _LINE.fullmatch(line), re.search("final|answer", line, re.I) is not None
        ids = [int(number) for number in re.findall(r"\d+", match[1])] if match else []
        if ids and not is_other:
            listed = ((listed or []) if is_open and len(ids) == 1 and not is_final else []) + ids
        elif not ids and _NOTHING.search(line) and (listed is None or is_final):
            listed = []
        is_open = len(ids) == 1
        is_other = is_other if ids else _OTHERS.search(line) is not None
    return listed
