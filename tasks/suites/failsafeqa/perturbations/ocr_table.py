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
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path

from tasks.core.errors import WrongUsage

_LAYOUT = (
    "expected one object with one character, of KEEP, DELETE, REPLACE, INSERT, REPLACE_CHAR and "
    "INSERT_CHAR"
)
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
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise TableError(f"{name}: not UTF-8 text (byte {error.start})") from error
    rows = dict(
        _read_line(line, f"{name}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
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
        ((key, fields),) = json.loads(line).items()
        shares = [float(fields[name]) for name in ("KEEP", "DELETE", "REPLACE", "INSERT")]
        choices = [dict(fields[name]) for name in ("REPLACE_CHAR", "INSERT_CHAR")]
        of_texts = [float(share) for choice in choices for share in choice.values()]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{where}: {_LAYOUT}") from error
    if not all(0 <= share <= 1 for share in (*shares, *of_texts)):
        raise TableError(f"{where}: a share is not a number from 0 to 1")
    keep, delete, replace, insert = shares
    if delete == replace == insert == 0:
        keep = 0.0  # a character that was never struck; the published table has such rows
    elif not _are_whole(shares[1:]):
        raise TableError(f"{where}: DELETE, REPLACE and INSERT do not sum to 1")
    for share, choice in zip((replace, insert), choices, strict=True):
        if (choice or share) and not _are_whole(choice.values()):
            raise TableError(f"{where}: the shares of REPLACE_CHAR or INSERT_CHAR do not sum to 1")
    return " " if key == "SPACE_CHAR" else key, Row(
        keep, delete, delete + replace, *map(_choice, choices)
    )


def _are_whole(shares: Iterable[float]) -> bool:
    return abs(sum(shares) - 1) <= _TOLERANCE


def _choice(shares: Mapping[str, float]) -> Choice:
    texts = tuple(" " if text == "SPACE_CHAR" else text for text in shares)
    return Choice(texts, tuple(accumulate(shares.values())))
