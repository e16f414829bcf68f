"""Headings, rows and scales of text filings' tables, read by eye from the pages.

The rules were fitted on the tables whose use is "fit", and only tried on the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tasks.core.rows import FilingTable
from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.cells import YEAR, is_figure
from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import parse_filing

HERE = Path(__file__).parent
Row = tuple[str, list[str], list[str]]  # label, values, heading of each


class Gold(NamedTuple):
    """A table as a person reads it."""

    file: str
    use: str
    scale: str
    n_rows: int
    rows: list[Row]


def rows_of(lines: Sequence[str]) -> list[Row]:
    """Return rows with the headings that were given last."""
    heads: list[str] = []
    rows = []
    for line in lines:
        label, *cells = (cell.strip() for cell in line.split("|"))
        if line.startswith("| "):
            heads = cells
            continue
        rows.append((label, cells, heads))
    return rows


def gold_tables() -> Iterator[Gold]:
    text = (HERE / "gold_text_tables.txt").read_text(encoding="utf-8")
    for part in text.split("\n@ ")[1:]:
        title, *lines = part.strip("\n").split("\n")
        file, use, scale, n_rows = title.split(", ")
        yield Gold(file, use, scale, int(n_rows), rows_of(lines))


def values_of(row: Sequence[str]) -> list[str]:
    return [cell.replace(" ", "") for cell in row if cell]


def label_of(text: str) -> str:
    return " ".join(text.split()).rstrip(" .:")


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w%]+", text.lower()))


def is_data(row: Sequence[str]) -> bool:
    return any(is_figure(cell) and not YEAR.fullmatch(cell) for cell in row[1:])


def heading(cells: Cells, row: int, column: int) -> str:
    """Return the headings nearest above a cell."""
    parts: list[str] = []
    for above in reversed(cells[:row]):
        if is_data(above):
            if parts:
                break
        elif any(above[1:]):
            parts.append(above[column])
    return " ".join(" ".join(reversed(parts)).split())


def judged(gold: Gold, tables: Sequence[FilingTable]) -> Counter[str]:
    """Count the cells of a gold table that are found, labelled, and under which heading."""
    counts: Counter[str] = Counter()
    values = [[values_of(row[1:]) for row in table.cells] for table in tables]
    wanted = [values_of(cells) for _, cells, _ in gold.rows]

    def score(number: int) -> float:
        labels = {label_of(row[0]) for row in tables[number].cells}
        n_rows = sum(any(row[: len(want)] == want for row in values[number]) for want in wanted)
        return n_rows + sum(label_of(label) in labels for label, _, _ in gold.rows) / 10

    best = sorted(range(len(tables)), key=score, reverse=True)[:4]
    taken: set[tuple[int, int]] = set()
    for (label, cells, heads), want in zip(gold.rows, wanted, strict=True):
        counts["cells"] += len(want)
        places = [
            (number, row)
            for number in best
            if score(number) >= 1
            for row, found in enumerate(values[number])
            if found[: len(want)] == want and (number, row) not in taken
        ]
        if not places:
            counts["rows lost"] += 1
            continue
        number, row = min(
            places,
            key=lambda place: (
                best.index(place[0]),
                label_of(tables[place[0]].cells[place[1]][0]) != label_of(label),
            ),
        )
        taken.add((number, row))
        read = tables[number].cells
        counts["labelled"] += len(want) * (label_of(read[row][0]) == label_of(label))
        filled = [column for column in range(1, len(read[row])) if read[row][column]]
        known = set().union(*map(words, heads))
        for head, column in zip(
            (head for head, cell in zip(heads, cells, strict=True) if cell), filled, strict=False
        ):
            seen = words(heading(read, row, column))
            if seen & (known - words(head)):
                counts["wrong"] += 1
            else:
                counts["right" if words(head) <= seen else "without"] += 1
    hit = {number for number, _ in taken}
    counts["rows lost"] += max(
        0, gold.n_rows - sum(is_data(row) for number in hit for row in tables[number].cells)
    )
    if gold.scale != "?":
        stated = {None, "ones"} if gold.scale == "~" else {gold.scale}
        counts["scales"] += 1
        counts["right scale"] += bool(hit) and {tables[number].scale for number in hit} <= stated
    return counts


def test_cells_stand_under_their_headings(shared: Path) -> None:
    golds = list(gold_tables())
    counts: dict[str, Counter[str]] = {"fit": Counter(), "check": Counter()}
    for file in sorted({gold.file for gold in golds}):
        data = unpack((shared / "filings" / file).read_bytes())
        tables = [*parse_filing(data, file).tables]
        if b"<TYPE>EX-13.1" in data:  # the tables of one filing's exhibit are gold, too
            exhibit = data.replace(b"<TYPE>10-K", b"<TYPE>EX").replace(b"EX-13.1", b"10-K")
            tables += parse_filing(exhibit, file).tables
        for gold in golds:
            if gold.file == file:
                counts[gold.use] += judged(gold, tables)
    print(f"{len(golds)} tables: {counts}")
    assert len(golds) >= 30
    for use, n in counts.items():
        assert n["wrong"] == 0, use  # a wrong year is worse than none
        assert n["right"] >= 0.97 * n["cells"], use
        assert n["labelled"] >= 0.97 * n["cells"], use
        assert n["right scale"] >= 0.95 * n["scales"], use
