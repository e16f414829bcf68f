"""The layout of FAITH's released file: an array of reports.

Each has metadata, tables and instances; an instance has a label for each model of the panel:
`gpt-4.1_label`, `gemini-2.5-pro-label`, ... A missing neighbour is a bare `NaN`, no strict JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from tasks.filings.reader.blocks import Cells, table_text
from tasks.suites.faith.maskable import LONGEST, MASK, MaskType, masked
from tasks.suites.shared.published import WRONG_TYPE, Entry, Str, Text, wrong

WRONG_SPAN = "the span does not lie in the sentence"
WRONG_MASK = "the masked sentence is not the sentence with its span masked"
MASK_BESIDE = "a neighbour holds a mask, too"
TABLE_TWICE = "a table_index stands twice"
REPORT_BROKEN = "its report cannot be read"

_LABEL = re.compile(r"(?P<model>.+)[_-]label")
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

    @property
    def index(self) -> int:
        """Its number in the report."""
        return int(self.table_index)

    @property
    def texts(self) -> Cells:
        """Its cells, "" for an empty one."""
        return tuple(tuple(cell or "" for cell in row) for row in self.cells)

    @property
    def block(self) -> str:
        """Its text in the document."""
        return table_text(tuple(filter(None, self.texts))) or "(a table without a filled cell)"


class PublishedReport(Entry):
    """A report; its instances are checked one by one."""

    metadata: Metadata
    tables: Annotated[list[PublishedTable], Field(min_length=1), AfterValidator(_stand_once)]
    instances: list[Any]

    @property
    def in_order(self) -> list[PublishedTable]:
        """Its tables by number, as in the authors' prompts."""
        return sorted(self.tables, key=lambda table: table.index)


_Passage = Annotated[Text, Field(max_length=LONGEST)]
_Neighbour = Annotated[Str, Field(max_length=LONGEST), AfterValidator(_has_no_mask)]


class Instance(Entry):
    """One masked figure."""

    uid: _Passage
    sentence: _Passage
    mask_span: Annotated[list[int], Field(min_length=2, max_length=2)]
    masked_sentence: _Passage
    ground_truth: _Passage
    pre_sentence: _Neighbour | None = None
    post_sentence: _Neighbour | None = None
    mask_type: MaskType | None = None
    labels: dict[Str, Literal["answerable", "unanswerable"] | None]  # by column

    @model_validator(mode="before")
    @classmethod
    def _gather_labels(cls, entry: dict[str, Any]) -> dict[str, Any]:
        labels = {column: value for column, value in entry.items() if _LABEL.fullmatch(column)}
        return entry | {"labels": labels}

    @field_validator("mask_span")
    @classmethod
    def _lies_in_the_sentence(cls, span: list[int], fields: ValidationInfo) -> list[int]:
        sentence = fields.data.get("sentence")
        if sentence is not None and not 0 <= span[0] < span[1] <= len(sentence):
            raise wrong(WRONG_SPAN)
        return span

    @field_validator("masked_sentence")
    @classmethod
    def _has_one_mask(cls, text: str, fields: ValidationInfo) -> str:
        sentence, span = fields.data.get("sentence"), fields.data.get("mask_span")
        if sentence and span and (masked(sentence, *span) != text or text.count(MASK) != 1):
            raise wrong(WRONG_MASK)
        return text

    @property
    def passage(self) -> str:
        """Its sentences, as they stand in the document."""
        parts = (self.pre_sentence, self.sentence, self.post_sentence)
        return " ".join(filter(None, parts))

    @property
    def votes(self) -> Iterator[tuple[str, bool]]:
        """Each model that has a label, and whether it says that the figure can be restored."""
        for column, label in self.labels.items():
            if label is not None and (match := _LABEL.fullmatch(column)):
                yield match["model"], label == "answerable"
