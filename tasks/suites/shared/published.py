"""Published datasets: a released file to the lake's rows, and rows to such a file.

Each published layout has one module with `load`. Texts are kept byte for byte, never cleaned.
Errors name file and place; no file is left half-written.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from tasks.core.errors import RunFailed
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rejects import reject_of
from tasks.core.rows import Document, Filing, FilingTable, Item, Paragraph, Reject
from tasks.core.untrusted import read_json
from tasks.text.tokens import DEFAULT_ENCODING

# The form of a filing that is known only from a published file.
FORM = "dataset"


class DatasetError(RunFailed):
    """A file with another layout; the message names file and place, and says what to do."""


Rows = Mapping[type, list[Any]]
INGESTED = (Filing, Document, FilingTable)  # what ingest writes of a file; the rest is built


def by_type(rows: Iterable[Any]) -> Rows:
    """Group rows by type, in order; of rows with the same id, the first counts."""
    grouped: dict[type, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        grouped[type(row)].setdefault(getattr(row, row.TABLE.id), row)
    return defaultdict(list, {row_type: [*by_id.values()] for row_type, by_id in grouped.items()})


def built(rows: Rows) -> Iterator[Any]:
    """Yield all rows except those that ingest writes."""
    return chain.from_iterable(rows[row_type] for row_type in rows if row_type not in INGESTED)


def filing_of(
    filing_id: str,
    text: str,
    source_uri: str,
    *,
    cik: str | None = None,
    filed_date: date | None = None,
) -> Filing:
    """Make the filing of an entry's text, of which a published file says little or nothing."""
    return Filing(
        filing_id=filing_id,
        cik=cik,
        form=FORM,
        filed_date=filed_date,
        format="text",
        source_uri=source_uri,
        sha256=sha256_hex(text),
        n_bytes=len(text.encode("utf-8")),
    )


def document_of(
    filing_id: str, text: str, paragraphs: Sequence[Paragraph], items: Sequence[Item] = ()
) -> Document:
    """Make the document of a published text."""
    return Document(
        document_id=stable_id("document", filing_id),
        filing_id=filing_id,
        text=text,
        n_tokens=sum(paragraph.n_tokens for paragraph in paragraphs),
        encoding=DEFAULT_ENCODING,
        items=tuple(items),
        paragraphs=tuple(paragraphs),
    )


def rejected(entry: str, reason: str, detail: str) -> Reject:
    """Reject an entry of a published file; `entry` is its place: `main.json#row=3`."""
    return reject_of("dataset", entry, reason, detail, key=("dataset", entry))


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export."""

    n_rows: int
    left_out: list[Reject]  # the pairs that the layout cannot hold
    rows_are: str = "rows"  # what people call the file's rows


# --- entries and files --------------------------------------------------------------------------

NOT_AN_OBJECT = "the entry is not an object"
FIELD_MISSING = "a field is missing"
FIELD_EMPTY = "a field is empty"
WRONG_TYPE = "a field has the wrong type"
WRONG_VALUE = "a field has a value that the layout does not have"
TOO_LONG = "a field is too long"
NOT_TEXT = "a field holds characters that are no text"
REPEATED = "the entry repeats an earlier one"

# By pydantic's type of error; any other is a wrong type.
_REASONS = {
    "missing": FIELD_MISSING,
    "literal_error": WRONG_VALUE,
    "string_pattern_mismatch": WRONG_VALUE,
    "too_short": WRONG_VALUE,
    "too_long": TOO_LONG,
    "string_too_long": TOO_LONG,
}
_FAULTS_SHOWN = 5


class Entry(BaseModel):
    """An entry of a published file; fields that it does not declare are not read."""

    model_config = ConfigDict(strict=True)


Shape = TypeVar("Shape", bound=Entry)
Fault = tuple[str, str]  # reason, field


def wrong(reason: str) -> PydanticCustomError:
    """Make a validator's error; `reason` is from a closed set, so that rejects can be counted."""
    return PydanticCustomError("of_the_layout", reason)


def _storable(text: str) -> str:
    """Refuse half a surrogate pair, which JSON can hold and a table cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise wrong(NOT_TEXT) from None
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise wrong(FIELD_EMPTY)
    return text


Str = Annotated[str, AfterValidator(_storable)]
Text = Annotated[Str, AfterValidator(_filled)]  # not blank


def parsed(shape: type[Shape], entry: Any) -> Shape | list[Fault]:
    """Read an entry, or list its faults in the order of the shape's fields."""
    if not isinstance(entry, dict):
        return [(NOT_AN_OBJECT, type(entry).__name__)]
    try:
        return shape.model_validate(entry)
    except ValidationError as invalid:
        return [(_reason(error), _field(error)) for error in invalid.errors()]


def listed(faults: Sequence[Fault]) -> str:
    """Describe faults for a reject."""
    shown = [f"{field} ({reason})" for reason, field in faults[:_FAULTS_SHOWN]]
    more = len(faults) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _reason(error: ErrorDetails) -> str:
    if error["type"] == "of_the_layout":
        return error["msg"]
    return FIELD_MISSING if error["input"] is None else _REASONS.get(error["type"], WRONG_TYPE)


def _field(error: ErrorDetails) -> str:
    """Spell the place of a field; entries of lists count from 1."""
    return ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])


def read_records(path: Path, required: Collection[str], what_to_do: str) -> list[Any]:
    """Read a file of JSON records unchecked: one array, or one object a line.

    NaN, which pandas writes for missing text, becomes None; a whole number of more than 18 digits
    becomes its text, so that only its own field is refused.

    Args:
        required: fields of which each must stand in some record.
        what_to_do: ends every message.

    Raises:
        DatasetError: the file cannot be read, or does not hold such records.
    """
    text = read_text(path, what_to_do).lstrip("\ufeff \t\r\n")
    if not text.startswith(("[", "{")):
        raise DatasetError(f"{path}: starts with neither [ nor {{; {what_to_do}")
    try:
        if text.startswith("["):
            records = list(read_json(text))
        else:  # not splitlines(): a JSON string may contain U+2028 and similar unescaped
            records = [read_json(line) for line in text.split("\n") if line.strip()]
    except json.JSONDecodeError as broken:
        one = "" if text.startswith("[") else f" of one object a line: {broken.doc[:40]!r}"
        raise DatasetError(
            f"{path}: broken JSON in line {broken.lineno}, column {broken.colno}{one}: "
            f"{broken.msg}; {what_to_do}"
        ) from broken
    if not records:
        raise DatasetError(f"{path}: holds no records; {what_to_do}")
    fields = {field for record in records if isinstance(record, dict) for field in record}
    if missing := [field for field in required if field not in fields]:
        raise DatasetError(
            f"{path}: none of the records (1 to {len(records)}) has {', '.join(missing)}; "
            f"{what_to_do}"
        )
    return records


def read_text(path: Path, what_to_do: str) -> str:
    """Read a UTF-8 text file, unpacked if its name ends in `.gz`.

    Raises:
        DatasetError: the file is missing, a folder, damaged or not UTF-8. The message ends with
            `what_to_do`.
    """
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as broken:
        raise DatasetError(f"{path}: cannot be read ({broken}); {what_to_do}") from broken
