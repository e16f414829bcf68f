"""What is read of files, as lines of `read.jsonl`; digests stand for text, Items and tables.

A line may change only on purpose: `python -m tests.tasks.filings.reader.record` records all anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.filings.reader.files import find_files, unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.quantities.figures import find_figures
from tasks.quantities.text_tables import find_tables
from tasks.text.sentences import split_sentences

RECORD = Path(__file__).with_name("read.jsonl")


def read_files(folder: Path) -> dict[str, ParsedFiling]:
    files = [file for file in find_files(folder) if file.suffix != ".json"]  # what was expected
    return {file.name: parse_filing(unpack(file.read_bytes()), file.name) for file in files}


def describe(name: str, parsed: ParsedFiling) -> dict[str, Any]:
    filing, document, tables = parsed.filing, parsed.document, parsed.tables
    text = document.text
    paragraphs = [(each.start_char, each.end_char) for each in document.paragraphs]
    return {
        "file": name,
        "filing": [filing.company, filing.cik, filing.sic, filing.form, str(filing.period_end)],
        "text": _digest([text, paragraphs]),
        "items": " ".join(item.item for item in document.items),
        "spans": _digest([(i.item, i.title, i.start_char, i.end_char) for i in document.items]),
        "tables": len(tables),
        "cells": _digest([(table.cells, table.html, table.pre_text) for table in tables]),
        "scales": _digest([(table.item, table.scale) for table in tables]),
        "figures": _digest(
            [
                (each.text, each.start_char, str(each.value), each.unit)
                for each in find_figures(text)
            ]
        ),
        "drawn": _digest(
            [
                (table.caption, table.scale, [(r.label, r.heads, r.values) for r in table.rows])
                for table in find_tables(text)
            ]
        ),
        "sentences": _digest([tuple(span) for span in split_sentences(text)]),
    }


def recorded() -> dict[str, dict[str, Any]]:
    rows = map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())
    return {row["file"]: row for row in rows}


def _digest(value: Any) -> str:
    return sha256_hex(canonical_json(value))[:12]


if __name__ == "__main__":
    shared = Path(os.environ["TENKBENCH_SHARED"])
    with RECORD.open("w", encoding="utf-8") as lines:
        for folder in (shared / "filings", shared / "cases"):
            for name, parsed in read_files(folder).items():
                lines.write(f"{json.dumps(describe(name, parsed), ensure_ascii=False)}\n")
