"""Contexts with a scanner's errors: characters lost, confused and added.

The mechanism is that of the tool which FailSafeQA cites (MECHANICS, "OCR noise"). The text is cut
into blocks of 500 to 2,000 characters, extended to the next whitespace. Each block draws an error
probability from a normal distribution of mean and deviation 0.1, clipped to [0, `ocr_max_error`].
A character is struck with that probability times its KEEP factor. It is then deleted, replaced or
preceded by an insertion, by its own shares. Block sizes come from the same seeded generator; in
the tool they do not, so its output cannot be repeated.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import accumulate
from random import Random
from statistics import NormalDist
from typing import Any

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.shared.cases import varied
from tasks.text.tokens import count_tokens

NAME = "ocr"
TRAIT = "scanned_figures"  # of a case: whether the scan still states the answer's figures
ALL, NOT_ALL, NONE = "all legible", "not all legible", "none copied"
MEAN_ERROR = 0.1
ERROR_DEVIATION = 0.1
BLOCK_CHARS = (500, 2000)
ANY_CHAR_PROBABILITY = 0.05  # of a new character unrelated to the old one
ANY_CHARS = "".join(
    chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
)  # Latin-1

_BLANK = re.compile(r"\s")
_NUMBER = re.compile(r"(?:(?<!\d)\.)?\d(?:[\d,.]*\d)?")  # `.25`, too

# Texts, and their cumulated shares as `Random.choices` takes them.
_Choice = tuple[tuple[str, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class OcrRow:
    """What happens to one character when an error strikes it."""

    keep: float  # factor on the block's error probability; 0 is never struck
    delete: float  # share of its errors
    delete_or_replace: float  # plus the share of replacements; the rest are insertions
    replacements: _Choice
    insertions: _Choice


@dataclass(frozen=True, slots=True)
class OcrTable:
    """How scanning confuses characters, with the SHA-256 of its file."""

    rows: Mapping[str, OcrRow]
    other: OcrRow  # of every character without a row
    most_keep: float
    sha256: str

    def row(self, char: str) -> OcrRow:
        return self.rows.get(char, self.other)


@cache
def load_table() -> OcrTable:
    """Read `ocr_confusions.jsonl`, in the layout of TurkuNLP's ocr_errors_simulator.

    It is written for this project from what looks alike in print (l 1 I, O 0, rn for m, cl for d).
    Unlike TurkuNLP's, it may replace a character by several.
    """
    content = files(__package__).joinpath("ocr_confusions.jsonl").read_bytes()
    lines: dict[str, dict[str, Any]] = {}  # `{char: fields}` each
    for line in content.splitlines():
        lines |= json.loads(line)
    rows = {_char(char): _row(fields) for char, fields in lines.items()}
    most_keep = max(row.keep for row in rows.values())
    return OcrTable(rows, rows.pop("OTHER_CHAR"), most_keep, hashlib.sha256(content).hexdigest())


def _row(fields: Mapping[str, Any]) -> OcrRow:
    replacements, insertions = _choice(fields["REPLACE_CHAR"]), _choice(fields["INSERT_CHAR"])
    delete = fields["DELETE"]
    return OcrRow(fields["KEEP"], delete, delete + fields["REPLACE"], replacements, insertions)


def _choice(shares: Mapping[str, float]) -> _Choice:
    return tuple(map(_char, shares)), tuple(accumulate(shares.values()))


def _char(text: str) -> str:
    return " " if text == "SPACE_CHAR" else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A text with errors, and the counts of its edits."""

    text: str
    block_errors: tuple[float, ...]  # error probability of each block
    deletions: int
    replacements: int
    insertions: int

    @property
    def edits(self) -> int:
        return self.deletions + self.replacements + self.insertions


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Scan each context once, and point each case at its scan."""
    table = load_table()
    scanned: dict[str, Context] = {}
    for case in cases:
        assert case.context_id is not None  # of a baseline
        if case.context_id not in scanned:
            context = scan_context(material.contexts[case.context_id], table, material)
            scanned[case.context_id] = context
            if context.context_id != case.context_id:
                yield context
        context = scanned[case.context_id]
        if context.context_id == case.context_id:
            reason = "the scan of the context came out without an error"
            yield rejected(NAME, case, reason, f"context {case.context_id}")
            continue
        details = canonical_json({"clean_context_id": case.context_id})
        traits = {TRAIT: legibility(material.pairs[case.qa_pair_id], context.text)}
        yield varied(case, NAME, context_id=context.context_id, traits=traits, details=details)


def legibility(pair: QAPair, scan_text: str) -> str:
    """Say whether a scan still has all figures that the answer copies from the cited passages.

    Only digits are compared.
    """
    cited = _numbers(" ".join(citation.quote for citation in pair.citations))
    figures = [figure.text for figure in find_figures(pair.answer) if figure.unit != "year"]
    copied = _numbers(" ".join(figures)) & cited
    return (ALL if copied <= _numbers(scan_text) else NOT_ALL) if copied else NONE


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def scan_context(context: Context, table: OcrTable, material: Material) -> Context:
    """Scan a context; it stays the same if no error strikes it."""
    rng = stable_rng(material.seed, NAME, context.context_id)
    scan = scan_text(context.text, rng, table, material.ocr_max_error)
    if scan.text == context.text:
        return context
    n_chars = len(context.text)
    details = {
        "clean_context_id": context.context_id,
        "seed": material.seed,
        "max_error": material.ocr_max_error,
        "table_sha256": table.sha256,
        "n_chars": n_chars,
        "deletions": scan.deletions,
        "replacements": scan.replacements,
        "insertions": scan.insertions,
        "error_rate": round(scan.edits / n_chars, 6),
    }
    made_by = (context.context_id, material.seed, material.ocr_max_error, table.sha256)
    return replace(
        context,
        context_id=stable_id("context", NAME, *made_by),
        kind="ocr",
        text=scan.text,
        n_tokens=count_tokens(scan.text, context.encoding),
        details=canonical_json(details),
    )


def scan_text(text: str, rng: Random, table: OcrTable, max_error: float) -> Scan:
    """Strike a text's characters with scanning errors; `max_error` is in [0, 1]."""
    pieces: list[str] = []
    block_errors: list[float] = []
    errors, (least, most) = NormalDist(MEAN_ERROR, ERROR_DEVIATION), BLOCK_CHARS
    deletions = replacements = insertions = 0
    start = 0
    while start < len(text):
        blank = _BLANK.search(text, start + least + int(rng.random() * (most - least + 1)))
        end = blank.start() if blank else len(text)
        # strictly inside (0, 1), where the inverse is defined
        quantile = (int(rng.random() * 2**52) + 0.5) / 2**52
        p = min(max(errors.inv_cdf(quantile), 0.0), max_error)
        block_errors.append(p)
        clean = start  # the text before it is in `pieces`
        limit = p * table.most_keep
        draw = rng.random
        # One draw per character; few are below the limit, and only those need the table.
        struck = [(i, u) for i in range(start, end) if (u := draw()) < limit]
        for i, u in struck:
            char = text[i]
            row = table.row(char)
            if u >= p * row.keep:
                continue
            kind = draw()
            if kind < row.delete:
                new, deletions = "", deletions + 1
            elif kind < row.delete_or_replace:
                new, replacements = _new_text(row, "replace", char, rng), replacements + 1
            else:
                new, insertions = _new_text(row, "insert", char, rng) + char, insertions + 1
            pieces += [text[clean:i], new]
            clean = i + 1
        pieces.append(text[clean:end])
        start = end
    return Scan(
        text="".join(pieces),
        block_errors=tuple(block_errors),
        deletions=deletions,
        replacements=replacements,
        insertions=insertions,
    )


def _new_text(row: OcrRow, how: str, char: str, rng: Random) -> str:
    """Choose what replaces a character, never itself, or what is inserted before it."""
    if rng.random() >= ANY_CHAR_PROBABILITY:
        choice = row.replacements if how == "replace" else row.insertions
        (new,) = rng.choices(choice[0], cum_weights=choice[1])
        if how == "insert" or new != char:
            return new
    i = int(rng.random() * len(ANY_CHARS))
    return ANY_CHARS[i] if how == "insert" or ANY_CHARS[i] != char else ANY_CHARS[i - 1]
