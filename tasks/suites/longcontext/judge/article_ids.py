"""Read the article IDs of a reply, and tell how it fails (paper 002, section 2.4, appendix A.2-3).

Two readers. `paper` is the authors': `json.loads`, and where that fails Figure 8, which keeps
digits and commas of whatever was written, so that digits of prose and of a cut tail become IDs.
`strict` takes only what stands in a list as an ID of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from tasks.inference.replies import split_thoughts
from tasks.text.json_replies import json_values

Reader = Literal["strict", "paper"]
# `json`: the whole reply is JSON. `fallback`: it was read otherwise. `none`: nothing was found.
Kind = Literal["json", "fallback", "none"]
Reply = Literal["ids", "empty", "counting", "repeating", "cut", "refusal", "prose"]

# names of a list of IDs, without what is no letter
_KEYS = frozenset({"articleids", "articleid", "ids", "id", "articles"})
# IDs in a row, each one more than the last, or repeats that no honest list of at most ten needles
# has.
_DEGENERATE = 8
_MOST_DIGITS = 4_000  # of a number that Python reads; more are cut off

_AND = r"\s*(?:,\s*and\b|and\b|[&,;])\s*"
_LISTED = re.compile(
    rf"\s*\[?\s*(?:(?:[\"']?\d+[\"']?{_AND})*[\"']?\d+[\"']?\s*,?)?\s*\]?\s*\.?\s*", re.IGNORECASE
)
_THOUSANDS = re.compile(r"\s*\d{1,3}(?:,\d{3})+\s*")  # or several IDs: who knows
_NOTHING = re.compile(
    r"\W*(?:none|null|n/a|no(?: \w+){0,2} articles?(?: [a-z]+){0,4})\W*", re.IGNORECASE
)
# `12`, `ID: 12`, `Article #12`
_ENTRY = re.compile(r"\s*(?:article\s*)?(?:id\s*)?[#:]?\s*(\d+)\s*\.?\s*", re.IGNORECASE)
# `Article ID: 12; Title: ...`, an article's line, or its ID and a remark
_NAMED = re.compile(
    r"\s*article\s*(?:id)?\s*[#:]?\s*(\d+)\s*"
    r"(?:;\s*(?:date|title)\s*:.*|(?:[:;,.(]|[-–—]\s)(?!\s*(?:and\s*)?\d)(?P<remark>.*))",
    re.IGNORECASE | re.DOTALL,
)
_OPENED = re.compile(
    r"[\"'“]?\b(?:article_id|(?:article[_ ]?)?ids)\b[\"'”]?\s*(?:[:=]|\bare\b:?)\s*", re.IGNORECASE
)
_MARKS = re.compile(
    r"```\w*|[`*]|^[\s#]*(?:output|reply|answer|response)\W*:\W*$|"
    r"^[\s#]*(?:output|reply|answer|response)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"\A\s*(?:[-•]|\d+[.)])\s+(?=\S)")
_QUOTES = str.maketrans(dict.fromkeys("“”„", '"'))
_BETWEEN = re.compile(r"(?:\s|,|//[^\n]*\n)*")
_OWN_LINE = re.compile(r"^\s*(\[[^\[\]{}]*\])\s*$", re.MULTILINE)
# Beside a list of lines, such words may say that it lists what does not fit.
_NEGATED = re.compile(
    r"n[o']t\b|n’t\b|\b(?:no|none|neither|nor|never|without|except|exclud\w*|other|others|another|"
    r"similar|instead|however|but|unrelated|irrelevant|remaining)\b",
    re.IGNORECASE,
)
_REFUSING = re.compile(
    r"\b(?:can(?:no|['’])t|unable to|not able to|won['’]t|will not|sorry|apologi[sz]e)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FoundIds:
    """The article IDs of a reply.

    Attributes:
        ids: sorted, each once.
        kind: how they were read.
        listed: as the reply lists them, repeats too.
    """

    ids: tuple[int, ...]
    kind: Kind
    listed: tuple[int, ...]


def read_ids(text: str, reader: str) -> FoundIds:
    """Read the article IDs of a reply as `strict` or `paper` does.

    Raises:
        ValueError: there is no such reader.
    """
    if reader not in ("strict", "paper"):
        raise ValueError(f"there is no reader {reader!r}; readers are strict and paper")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        listed = _figure_8(text) if reader == "paper" else _otherwise(split_thoughts(text)[0])
        return _found(listed, "fallback" if listed is not None else "none")
    listed = _in(value)
    if listed is None and reader == "paper":
        listed = _figure_8(text)  # JSON of another kind: the authors do not say
    return _found(listed, "none" if listed is None else "json")


def _found(listed: Sequence[int] | None, kind: Kind) -> FoundIds:
    listed = tuple(listed or ())
    return FoundIds(ids=tuple(sorted(set(listed))), kind=kind, listed=listed)


def _figure_8(text: str) -> list[int] | None:
    """Keep digits and commas only, as Figure 8 does; None if no digit is left."""
    digits = re.sub(r"[^0-9,]", "", text)
    return [int(each[:_MOST_DIGITS]) for each in digits.split(",") if each] or None


def _in(value: Any) -> list[int] | None:
    """List the IDs of a JSON value; None if it is no list of them."""
    match value:
        case None:
            return []
        case bool():
            return None
        case int() | float():
            return [int(value)] if isinstance(value, int) or value.is_integer() else None
        case str():
            return _in_string(value)
        case list():
            return _in_list(value)
    named = [_in(each) for key, each in value.items() if _is_key(key)]
    inner = [_in(each) for each in value.values() if isinstance(each, dict)]
    return _agreed(named or inner) if value else []


def _is_key(key: str) -> bool:
    return re.sub(r"[\W_]", "", key).casefold() in _KEYS


def _agreed(readings: Sequence[list[int] | None]) -> list[int] | None:
    """Return the reading that all are; None if there is none, or one that differs."""
    first = next(iter(readings), None)
    is_same = all(each is not None and set(each) == set(first or ()) for each in readings)
    return first if is_same else None


def _in_string(value: str) -> list[int] | None:
    if value.lstrip().startswith(("{", "[")) and not _LISTED.fullmatch(value):
        try:
            return _in(json.loads(value))
        except (ValueError, RecursionError):
            return None
    if _LISTED.fullmatch(value):
        return [int(each[:_MOST_DIGITS]) for each in re.findall(r"\d+", value)]
    if _NOTHING.fullmatch(value):
        return []
    entry = _ENTRY.fullmatch(value) or _NAMED.fullmatch(value)
    return None if entry is None else [int(entry[1][:_MOST_DIGITS])]


def _is_list(text: str) -> bool:
    return bool(text and (_LISTED.fullmatch(text) or _NOTHING.fullmatch(text)))


def _in_list(values: list[Any]) -> list[int] | None:
    """List the IDs among entries; None if each is something else, such as a title."""
    try:
        read = [
            found
            for each in values
            if not (isinstance(each, str) and _THOUSANDS.fullmatch(each))
            and (found := _in(each)) is not None
        ]
    except RecursionError:
        return None
    return [each for found in read for each in found] if read or not values else None


def _otherwise(text: str) -> list[int] | None:
    """Read a reply that is not JSON as a whole; None if it has no list, or two that differ."""
    text = text if '"' in text else text.translate(_QUOTES)
    values = [
        each
        for each in json_values(text, strict=False, whole=True)
        if isinstance(each, dict) or any(isinstance(one, dict) for one in each)
    ]
    if len(values) > 1 and all(_is_one(each) for each in values):  # JSON lines
        return _in_list(values)
    found = [listed for each in values if (listed := _in(each)) is not None]
    if found:
        return _agreed(found)
    bare = _MARKS.sub(" ", text).strip()
    opened = [_after_key(bare[each.end() :]) for each in _OPENED.finditer(bare)]
    if opened and any(each is not None for each in opened):
        return _agreed(opened)
    lists = _OWN_LINE.findall(bare)
    if lists:
        return _in_string(lists[0]) if len(lists) == 1 else None
    if "[" in bare or "{" in bare:  # broken
        return None
    return _in_string(bare) if _is_list(bare) else _in_lines(bare)


def _is_one(value: Any) -> bool:
    """Return whether an object is about one article."""
    return isinstance(value, dict) and any(
        _is_key(key) and not isinstance(each, list | dict) for key, each in value.items()
    )


def _after_key(text: str) -> list[int] | None:
    """Read the list after its name, without braces around it or cut off at its end."""
    if text.startswith("["):
        return _in_list_of(text)
    line = text.partition("\n")[0].strip().rstrip("}").strip("\"' ")
    return _in_string(line) if _is_list(line) else None


def _in_list_of(text: str) -> list[int] | None:
    """Read a list's complete entries; None if it ends before the first one."""
    decoder, values, position = json.JSONDecoder(), [], 1
    while (found := _BETWEEN.match(text, position)) and text[found.end() : found.end() + 1] != "]":
        try:
            if quoted := re.compile(r"'([^']*)'").match(text, found.end()):
                value, position = quoted[1], quoted.end()
            else:
                value, position = decoder.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            break
        if isinstance(value, int | float) and not re.compile(r"\s*[,\]/]").match(text, position):
            break  # some of its digits may be cut off
        values.append(value)
    else:
        return _in_list(values)
    return _in_list(values) if values else None


def _in_lines(text: str) -> list[int] | None:
    """Read one block of lines with an ID each, bulleted or not."""
    entries: list[int] = []
    is_over = False
    for line in filter(str.strip, text.splitlines()):
        said = _BULLET.sub("", line, count=1).strip("\"' ")
        entry = _ENTRY.fullmatch(said) or _NAMED.fullmatch(said)
        if entry is not None and is_over:
            return None  # a second block
        if entry is not None:
            entries.append(int(entry[1][:_MOST_DIGITS]))
            said = entry.groupdict().get("remark") or ""
        elif re.match(r"\s*(?:title|date)\s*:", said, re.IGNORECASE):
            continue
        else:
            is_over = bool(entries)
        if _NEGATED.search(said):
            return None
    return entries or None


# --- how a reply fails ------------------------------------------------------------------


def classify(text: str, found: FoundIds, *, is_cut: bool) -> Reply:
    """Say what a reply is; the first that fits.

    `counting` lists numbers in sequence and `repeating` the same ones again, as the authors'
    degenerate outputs do. `cut` ran into the limit of tokens.
    """
    if longest_run(found.listed) >= _DEGENERATE:
        return "counting"
    if len(found.listed) - len(found.ids) >= _DEGENERATE:
        return "repeating"
    if is_cut:
        return "cut"
    if found.kind == "none":
        return "refusal" if _REFUSING.search(text) else "prose"
    return "ids" if found.ids else "empty"


def longest_run(listed: Sequence[int]) -> int:
    """Return how many IDs follow each other at most, each one more than the last."""
    return max(_runs(listed), default=0)


def _runs(listed: Sequence[int]) -> Iterator[int]:
    run = 1
    for before, after in pairwise(listed):
        run = run + 1 if after == before + 1 else 1
        yield run
