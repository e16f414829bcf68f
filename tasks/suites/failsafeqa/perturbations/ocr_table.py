"""A table of how scanning confuses characters, read from JSON lines and checked.

Each line is an object with one character: `{char: {KEEP, DELETE, REPLACE, INSERT,
REPLACE_CHAR: {text: share}, INSERT_CHAR: {text: share}, COUNT}}`. `SPACE_CHAR` stands for a space,
`OTHER_CHAR` for every character without a row. This is the layout of TurkuNLP's
ocr_errors_simulator, the tool that FailSafeQA cites, so its table works too. Ours
(`ocr_confusions.jsonl`) is written for this project from what looks alike in print (l 1 I, O 0,
rn for m, cl for d). Unlike TurkuNLP's, it may replace a character by several.
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any

from tasks.core.errors import WrongUsage

_SHARES = ("DELETE", "REPLACE", "INSERT")
_FIELDS = frozenset({"KEEP", *_SHARES, "REPLACE_CHAR", "INSERT_CHAR"})
_OPTIONAL = frozenset({"COUNT"})
_TOLERANCE = 1e-3


class TableError(WrongUsage):
    """An unusable table; the message names the file, the line and the fault."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Texts with their cumulated shares."""

    texts: tuple[str, ...]
    cumulated: tuple[float, ...]

    def at(self, u: float) -> str:
        """Find the text at a point of [0, 1)."""
        return self.texts[
            min(bisect_right(self.cumulated, u * self.cumulated[-1]), len(self.texts) - 1)
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """What happens to one character when an error strikes it."""

    keep: float  # factor on the block's error probability; 0 is never struck
    delete: float  # share of its errors
    delete_or_replace: float  # plus the share of replacements; the rest are insertions
    replacements: Choice
    insertions: Choice


@dataclass(frozen=True, slots=True)
class Table:
    """A character table, with the SHA-256 of its file."""

    rows: Mapping[str, Row]
    other: Row
    most_keep: float
    sha256: str

    def row(self, char: str) -> Row:
        return self.rows.get(char, self.other)


def load_table(path: str | None = None) -> Table:
    """Read a character table; None is the project's own.

    A file that has changed is read again.

    Raises:
        TableError: a line of the file is wrong.
        FileNotFoundError: there is no such file.
    """
    source = (
        files("tasks.suites.failsafeqa.perturbations").joinpath("ocr_confusions.jsonl")
        if path is None
        else Path(path)
    )
    name = "the project's OCR table" if path is None else path
    return _table(source.read_bytes(), name)


@lru_cache(maxsize=4)  # by content: a worker may outlive the file
def _table(content: bytes, name: str) -> Table:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(f"{name}: not UTF-8 text (byte {error.start})") from error
    rows: dict[str, Row] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        char, row = _read_line(line, where)
        if char in rows:
            raise TableError(f"{where}: a second row for {char!r}")
        rows[char] = row
    if "OTHER_CHAR" not in rows:
        raise TableError(f"{name}: no row OTHER_CHAR, which serves every character without a row")
    other = rows.pop("OTHER_CHAR")
    return Table(
        rows=rows,
        other=other,
        most_keep=max(row.keep for row in [other, *rows.values()]),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _read_line(line: str, where: str) -> tuple[str, Row]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise TableError(f"{where}: not JSON ({error.msg} at column {error.colno})") from error
    if not isinstance(record, dict) or len(record) != 1:
        raise TableError(f"{where}: expected one object with one character as its only key")
    ((key, fields),) = record.items()
    char = " " if key == "SPACE_CHAR" else key
    if len(char) != 1 and char != "OTHER_CHAR":
        raise TableError(f"{where}: {key!r} is neither one character nor SPACE_CHAR nor OTHER_CHAR")
    if not isinstance(fields, dict):
        raise TableError(f"{where}: the row of {key!r} is not an object")
    missing, unknown = sorted(_FIELDS - set(fields)), sorted(set(fields) - _FIELDS - _OPTIONAL)
    if missing or unknown:
        raise TableError(
            f"{where}: row of {key!r}: missing fields {missing}, unknown fields {unknown}"
        )
    keep, delete, replace, insert = (
        _share(fields[name], name, where) for name in ("KEEP", *_SHARES)
    )
    if delete == replace == insert == 0:
        keep = 0.0  # a character that was never struck; the published table has such rows
    elif abs(delete + replace + insert - 1) > _TOLERANCE:
        raise TableError(
            f"{where}: DELETE + REPLACE + INSERT is {delete + replace + insert:.4f}, not 1"
        )
    return char, Row(
        keep=keep,
        delete=delete,
        delete_or_replace=delete + replace,
        replacements=_choice(fields["REPLACE_CHAR"], "REPLACE_CHAR", replace, where),
        insertions=_choice(fields["INSERT_CHAR"], "INSERT_CHAR", insert, where),
    )


def _share(value: Any, name: str, where: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise TableError(f"{where}: {name} is {value!r}, not a number from 0 to 1")
    return float(value)


def _choice(shares: Any, name: str, needed: float, where: str) -> Choice:
    if not isinstance(shares, dict):
        raise TableError(f"{where}: {name} is not an object of texts and shares")
    if not shares and needed > 0:
        raise TableError(f"{where}: {name} is empty, yet its errors have a share of {needed}")
    total = sum(_share(share, f"{name}[{text!r}]", where) for text, share in shares.items())
    if shares and abs(total - 1) > _TOLERANCE:
        raise TableError(f"{where}: the shares of {name} sum to {total:.4f}, not 1")
    if "" in shares:
        raise TableError(f"{where}: {name} holds an empty text")
    texts = tuple(" " if text == "SPACE_CHAR" else text for text in shares)
    return Choice(texts, tuple(accumulate(shares.values())))
