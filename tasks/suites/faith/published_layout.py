"""The layout of FAITH's released file: an array of reports.

    metadata    cik, filing_date
    tables      table_index (a number as text), pre_text, cells
    instances   uid, sentence, pre_sentence, post_sentence, mask_type, mask_span, masked_sentence,
                ground_truth, and a label for each model of the panel: `gpt-4.1_label`,
                `gemini-2.5-pro-label`, ...

A missing neighbour is a bare `NaN`, which is not strict JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from tasks.suites.faith.masking import LONGEST, MASK, masked
from tasks.suites.shared.published import (
    NOT_TEXT,
    WRONG_TYPE,
    WRONG_VALUE,
    Entry,
    Str,
    Text,
    faults_of,
    wrong,
)

ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"

WRONG_SPAN = "the span does not lie in the sentence"
WRONG_MASK = "the masked sentence is not the sentence with its span masked"
MASK_BESIDE = "a neighbour holds a mask, too"
TABLE_TWICE = "a table_index stands twice"
REPORT_BROKEN = "its report cannot be read"
SAME_TABLES = "an earlier report has the same tables"

_LABEL = re.compile(r"(?P<model>.+)[_-]label")
_SURROGATE = re.compile("[\ud800-\udfff]")
WHAT_TO_DO = (
    "expected FAITH's released file, one JSON array of reports, each with metadata, tables and "
    "instances"
)


def _is_day(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise wrong(WRONG_TYPE) from None
    return value


def _has_no_mask(text: str) -> str:
    if MASK in text:
        raise wrong(MASK_BESIDE)
    return text


def _stand_once(tables: list[PublishedTable]) -> list[PublishedTable]:
    if len({table.table_index for table in tables}) < len(tables):
        raise wrong(TABLE_TWICE)
    return tables


_Day = Annotated[str, AfterValidator(_is_day)]


class Metadata(Entry):
    """What a report says of its filing."""

    cik: Text | None = None
    filing_date: _Day | None = None


class PublishedTable(Entry):
    """One table of a report."""

    table_index: Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,8})$")]
    pre_text: Str | None = None
    cells: list[list[Str | None]]


class PublishedReport(Entry):
    """A report; its instances are checked one by one."""

    metadata: Metadata
    tables: Annotated[list[PublishedTable], Field(min_length=1), AfterValidator(_stand_once)]
    instances: list[Any]


_Passage = Annotated[Text, Field(max_length=LONGEST)]
_Neighbour = Annotated[Str, Field(max_length=LONGEST), AfterValidator(_has_no_mask)]


class Instance(Entry):
    """One masked figure."""

    uid: _Passage
    sentence: _Passage
    masked_sentence: _Passage
    ground_truth: _Passage
    pre_sentence: _Neighbour | None = None
    post_sentence: _Neighbour | None = None
    mask_type: Literal["A", "B", "C", "D"] | None = None
    mask_span: Annotated[list[int], Field(min_length=2, max_length=2)]


def instance_faults(instance: Any) -> list[tuple[str, str]]:
    """List the faults of one instance: (reason, field)."""
    faults = faults_of(Instance, instance)
    if not isinstance(instance, dict):
        return faults
    return [*(faults or _mask_faults(instance)), *_label_faults(instance)]


def _mask_faults(instance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    start, end = instance["mask_span"]
    if not 0 <= start < end <= len(instance["sentence"]):
        yield WRONG_SPAN, "mask_span"
    elif masked(instance["sentence"], start, end) != instance["masked_sentence"]:
        yield WRONG_MASK, "masked_sentence"
    elif instance["masked_sentence"].count(MASK) != 1:
        yield WRONG_MASK, f"masked_sentence holds {MASK} more than once"


def _label_faults(instance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for column, value in instance.items():
        if _LABEL.fullmatch(column):
            if value not in (ANSWERABLE, UNANSWERABLE, None):
                yield WRONG_VALUE, column
            if _SURROGATE.search(column):
                yield NOT_TEXT, column


def labels_of(instance: Mapping[str, Any]) -> dict[str, bool]:
    """Map each model that has a label to it: whether the figure can be restored."""
    labelled = ((_LABEL.fullmatch(column), value) for column, value in instance.items())
    return {
        match["model"]: value == ANSWERABLE
        for match, value in labelled
        if match and value is not None
    }
