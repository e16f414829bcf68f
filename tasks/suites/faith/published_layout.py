"""The layout of FAITH's released file: an array of reports.

    metadata    cik, filing_date
    tables      table_index (a number as text), pre_text, cells
    instances   uid, sentence, pre_sentence, post_sentence, mask_type, mask_span, masked_sentence,
                ground_truth, and a label for each model of the panel: `gpt-4.1_label`,
                `gemini-2.5-pro-label`, ...

A missing neighbour is a bare `NaN`, which is not strict JSON. In our own files, a filing's missing
number or date and a figure's missing mask type are null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tasks.suites.faith.masking import LONGEST, MASK, masked
from tasks.suites.shared.published import DatasetError
from tasks.suites.shared.published_files import read_text

REPORT_KEYS = ("metadata", "tables", "instances")
TEXTS = ("uid", "sentence", "masked_sentence", "ground_truth")
NEIGHBOURS = ("pre_sentence", "post_sentence")
MASK_TYPES = ("A", "B", "C", "D")
ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"

NOT_AN_OBJECT = "the instance is not an object"
FIELD_MISSING = "a field is missing"
FIELD_EMPTY = "a field is empty"
WRONG_TYPE = "a field has the wrong type"
NOT_TEXT = "a field holds characters that are no text"
WRONG_SPAN = "the span does not lie in the sentence"
WRONG_MASK = "the masked sentence is not the sentence with its span masked"
MASK_BESIDE = "a neighbour holds a mask, too"
WRONG_MASK_TYPE = "the mask type is not A, B, C or D"
WRONG_LABEL = "a label is neither answerable nor unanswerable"
TOO_LONG = f"a field is longer than {LONGEST:,} characters"
REPEATED = "the instance repeats an earlier one"
REPORT_BROKEN = "its report cannot be read"
SAME_TABLES = "an earlier report has the same tables"

_TABLE_INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)
_MOST_DIGITS = 18
_LABEL = re.compile(r"(?P<model>.+)[_-]label")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHAT_TO_DO = (
    "expected FAITH's released file, one JSON array of reports, each with metadata, tables and "
    "instances; `tenkbench export faith` writes an example"
)


def read_reports(path: Path) -> list[Any]:
    """Read the file's reports unchecked.

    NaN becomes None, and a whole number of more than 18 digits becomes its text.

    Raises:
        DatasetError: the file cannot be read or is not an array of reports.
    """
    text = read_text(path, _WHAT_TO_DO).lstrip("\ufeff")
    try:
        reports = json.loads(text, parse_constant=lambda _: None, parse_int=_whole_number)
    except json.JSONDecodeError as broken:
        raise DatasetError(
            f"{path}: broken JSON in line {broken.lineno}, column {broken.colno}: {broken.msg}; "
            f"{_WHAT_TO_DO}"
        ) from broken
    except RecursionError as broken:
        raise DatasetError(f"{path}: JSON nested too deeply to be read; {_WHAT_TO_DO}") from broken
    if not isinstance(reports, list):
        raise DatasetError(f"{path}: holds no array of reports; {_WHAT_TO_DO}")
    if not reports:
        raise DatasetError(f"{path}: holds an empty array, without any report; {_WHAT_TO_DO}")
    if not any(isinstance(report, dict) and "instances" in report for report in reports):
        raise DatasetError(
            f"{path}: none of the reports (1 to {len(reports)}) has instances; {_WHAT_TO_DO}"
        )
    return reports


def _whole_number(digits: str) -> int | str:
    """Parse a whole number; keep one that is too long as text.

    The field check then refuses that field, not the whole file.
    """
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def report_faults(report: Any) -> Iterator[str]:
    """Yield the faults of a report besides its instances, with fields."""
    if not isinstance(report, dict):
        yield f"the report is not an object but {type(report).__name__}"
        return
    metadata = report.get("metadata")
    if not isinstance(metadata, dict):
        yield "metadata (not an object)"
    else:
        if not (metadata.get("cik") is None or _is_text(metadata["cik"])):
            yield "metadata.cik (not a text)"
        if not (metadata.get("filing_date") is None or _is_date(metadata["filing_date"])):
            yield "metadata.filing_date (not a day such as 2024-02-21)"
    tables = report.get("tables")
    if not isinstance(tables, list) or not tables:
        yield "tables (no array of tables)"
        return
    for place, table in enumerate(tables, start=1):
        if fault := _table_fault(table):
            yield f"tables, number {place}: {fault}"
    indices = [str(table.get("table_index")) for table in tables if isinstance(table, dict)]
    if repeated := sorted({index for index in indices if indices.count(index) > 1}):
        yield f"tables: table_index {repeated[0]} stands twice"


def _table_fault(table: Any) -> str | None:
    if not isinstance(table, dict):
        return "not an object"
    index = table.get("table_index")
    if not (isinstance(index, str) and _TABLE_INDEX.fullmatch(index)):
        return (
            "table_index (not a number as text, of at most nine digits and without zeros before "
            "them)"
        )
    if not _is_text_or_absent(table.get("pre_text")):
        return "pre_text (not a text)"
    cells = table.get("cells")
    if not isinstance(cells, list) or not all(isinstance(row, list) for row in cells):
        return "cells (not an array of rows)"
    if not all(_is_text_or_absent(cell) for row in cells for cell in row):
        return "cells (a cell is not a text)"
    if any(
        _SURROGATE.search(cell)
        for row in [[table.get("pre_text") or ""], *cells]
        for cell in row
        if cell
    ):
        return "characters that are no text"
    return None


def instance_faults(instance: Any) -> Iterator[tuple[str, str]]:
    """Yield the faults of one instance: (reason, field)."""
    if not isinstance(instance, dict):
        yield NOT_AN_OBJECT, type(instance).__name__
        return
    faults = [*_text_faults(instance)]
    yield from faults
    if instance.get("mask_type") not in (*MASK_TYPES, None):
        yield WRONG_MASK_TYPE, "mask_type"
    for column in instance:
        if _LABEL.fullmatch(column):
            if instance[column] not in (ANSWERABLE, UNANSWERABLE, None):
                yield WRONG_LABEL, column
            if _SURROGATE.search(column):
                yield NOT_TEXT, column
    span = instance.get("mask_span")
    if not (isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)):
        yield (FIELD_MISSING if span is None else WRONG_TYPE), "mask_span"
    elif not faults:
        if not 0 <= span[0] < span[1] <= len(instance["sentence"]):
            yield WRONG_SPAN, "mask_span"
        elif masked(instance["sentence"], *span) != instance["masked_sentence"]:
            yield WRONG_MASK, "masked_sentence"
        elif instance["masked_sentence"].count(MASK) != 1:
            yield WRONG_MASK, f"masked_sentence holds {MASK} more than once"


def _text_faults(instance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for column in TEXTS:
        value = instance.get(column)
        if value is None:
            yield FIELD_MISSING, column
        elif not isinstance(value, str):
            yield WRONG_TYPE, column
        elif not value.strip():
            yield FIELD_EMPTY, column
    for column in NEIGHBOURS:
        if not _is_text_or_absent(instance.get(column)):
            yield WRONG_TYPE, column
        elif MASK in (instance.get(column) or ""):
            yield MASK_BESIDE, column
    for column in (*TEXTS, *NEIGHBOURS):
        if isinstance(value := instance.get(column), str):
            if _SURROGATE.search(value):
                yield NOT_TEXT, column
            if len(value) > LONGEST:
                yield TOO_LONG, column


def labels_of(instance: Mapping[str, Any]) -> dict[str, bool]:
    """Map each model to its label: whether the figure can be restored.

    Missing labels are left out.
    """
    found = ((_LABEL.fullmatch(column), value) for column, value in instance.items())
    return {
        match["model"]: value == ANSWERABLE for match, value in found if match and value is not None
    }


def label_column(model: str) -> str:
    """Return the column of a model's label, as the authors spell it."""
    return f"{model}_label" if model.startswith("gpt") else f"{model}-label"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not _SURROGATE.search(value)


def _is_text_or_absent(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_date(value: Any) -> bool:
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True
