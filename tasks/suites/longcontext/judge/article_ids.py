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

from tasks.text.json_replies import json_values

Reader = Literal["strict", "paper"]
# `json`: the whole reply is JSON. `fallback`: it was read otherwise. `none`: nothing was found.
Kind = Literal["json", "fallback", "none"]
Reply = Literal["ids", "empty", "counting", "repeating", "cut", "refusal", "prose"]

_KEY = "article_ids"
# IDs in a row, each one more than the last, or repeats that no honest list of at most ten needles
# has.
_DEGENERATE = 8
_MOST_DIGITS = 4_000  # of a number that Python reads; more are cut off

_ENTRY = re.compile(r"\s*(?:article\s*)?(?:id\s*)?[#:]?\s*(\d+)\s*", re.IGNORECASE)
_LISTED = re.compile(r"\s*\[?\s*((?:[\"']?\d+[\"']?\s*,\s*)*[\"']?\d+[\"']?)?\s*\]?\s*\.?\s*")
_OPENED = re.compile(r"[\"']?article[_ ]ids?[\"']?\s*[:=]\s*", re.IGNORECASE)
_FENCE = re.compile(r"```\w*|^\s*(?:#*\s*output|reply)\s*:", re.IGNORECASE | re.MULTILINE)
# Complete entries of a list that was cut: a closing quote, or a comma after bare digits.
_COMPLETE = re.compile(r"[\[,]\s*(?:\"([^\"]*)\"|'([^']*)'|(\d+)(?=\s*[,\]]))")
_REFUSING = re.compile(
    r"\b(?:can(?:no|')t|cannot|unable to|not able to|won't|will not|sorry|apologi[sz]e)\b",
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
        listed = _figure_8(text) if reader == "paper" else _otherwise(text)
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
    if isinstance(value, dict):
        keyed = {str(key).strip().casefold().replace(" ", "_"): each for key, each in value.items()}
        if _KEY in keyed:
            return _in(keyed[_KEY])
        inner = [listed for each in keyed.values() if isinstance(each, dict)
                 if (listed := _in(each)) is not None]  # fmt: skip
        return inner[0] if len(inner) == 1 else None
    if isinstance(value, str):  # such as "[]" or "4, 27"
        listed = _LISTED.fullmatch(value)
        return None if listed is None else [int(each) for each in re.findall(r"\d+", value)]
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, list):
        return None
    listed = [entry for each in value if (entry := _entry(each)) is not None]
    return listed if listed or not value else None  # a list of titles names no article


def _entry(value: Any) -> int | None:
    """Return the ID that one entry of a list is; None for anything else, such as a title."""
    if isinstance(value, bool):
        return None
    if isinstance(value, dict):
        return next((_entry(value[key]) for key in ("article_id", "id") if key in value), None)
    if isinstance(value, int):
        return value
    found = _ENTRY.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else int(found[1][:_MOST_DIGITS])


def _otherwise(text: str) -> list[int] | None:
    """Read a reply that is not JSON as a whole; None if it has no list, or two that differ."""
    found = [ids for value in json_values(text) if isinstance(value, dict)
             if (ids := _in(value)) is not None]  # fmt: skip
    if found:
        return found[0] if all(set(ids) == set(found[0]) for ids in found) else None
    bare = _FENCE.sub(" ", text).strip()
    opened = list(_OPENED.finditer(bare))
    if len(opened) > 1:
        return None
    if opened:
        return _after_key(bare[opened[0].end() :])
    return _in(bare) if bare else None


def _after_key(text: str) -> list[int] | None:
    """Read the list after its key, without braces around it or cut off at its end."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        if not text.startswith("["):
            return None
        entries = (next(filter(None, each), "") for each in _COMPLETE.findall(text))
        return [entry for each in entries if (entry := _entry(each)) is not None]
    return _in(text.rstrip("} \n")) if isinstance(value, int) else _in(value)


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
