"""Labels and cells of tables against a gold read by eye.

The gold has some rows of some tables of each filing, with at most four cells of a row. The rules
were fitted on the filings whose `use` is "fit", and only tried on the others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.files import decode, unpack
from tasks.filings.reader.filing import read_blocks
from tasks.filings.reader.plain_blocks import read_plain
from tasks.filings.reader.submission import read_submission

HERE = Path(__file__).parent
GOLD = [
    json.loads(line)
    for line in (HERE.parent / "gold_tables.jsonl").read_text(encoding="utf-8").splitlines()
]
Row = tuple[str, ...]


def compact(row: Sequence[str]) -> Row:
    """Return a row's label and filled cells, without spaces inside cells."""
    return (row[0], *(cell.replace(" ", "") for cell in row[1:] if cell))


def right_cells(rows: Sequence[Row], tables: Sequence[Cells]) -> int:
    """Count the cells of rows that stand beside their whole label in the best table."""
    most = 0
    for table in tables:
        found = {compact(row)[: width + 1] for row in table for width in range(1, 5)}
        most = max(most, sum(len(row) - 1 for row in rows if row in found))
    return most


def test_cells_stand_beside_whole_labels(shared: Path) -> None:
    counts = {"fit": [0, 0], "check": [0, 0]}
    for file in sorted({gold["file"] for gold in GOLD}):
        data = (shared / "filings" / file).read_bytes()
        blocks, _ = read_blocks(read_submission(decode(unpack(data))).text)
        tables = [block.cells for block in blocks if block.cells]
        for gold in GOLD:
            if gold["file"] == file:
                rows = [compact(row) for row in gold["rows"]]
                counts[gold["use"]][0] += right_cells(rows, tables)
                counts[gold["use"]][1] += sum(len(row) - 1 for row in rows)
    print(f"{len(GOLD)} tables: {counts}")  # right cells, cells
    assert len(GOLD) >= 60
    assert counts["check"][0] >= 0.95 * counts["check"][1]
    right, total = map(sum, zip(*counts.values(), strict=True))
    assert right >= 0.95 * total


def test_reads_absurd_tables_in_linear_time() -> None:
    lines = [
        "Label" + "".join(" " * (2 + (7 * row + cell) % 5) + f"{cell:,}" for cell in range(150))
        for row in range(150)
    ]
    start = time.process_time()
    read_plain("<TABLE>\n" + "\n\n".join(lines) + "\n</TABLE>\n" + "x\n" * 400)
    assert time.process_time() - start < 2
