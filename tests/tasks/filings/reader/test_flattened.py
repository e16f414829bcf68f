"""Texts without line breaks: Items, company and period, as in the text with its lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.corpus import read_record
from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import parse_filing
from tasks.filings.reader.items import find_items
from tasks.filings.reader.page_artifacts import without_page_artifacts
from tasks.filings.reader.plain_blocks import read_plain
from tests.tasks.filings.conftest import Measured, joined, letters


def flattened(blocks: Sequence[Block], *, has_tables: bool) -> str:
    kept = (block.text for block in blocks if has_tables or block.kind == "text")
    return " ".join(" ".join(text.replace(" | ", " ").split()) for text in kept)


def starts_in(text: str) -> set[tuple[str, str]]:
    """Return each Item found in a flat text, with its first letters."""
    blocks, starts, text = joined(without_page_artifacts(read_plain(text)))
    return {
        (item.item, letters(text[item.start_char : item.start_char + 200])[0][:25])
        for item in find_items(blocks, starts, text)
    }


@pytest.mark.parametrize("has_tables", [False, True], ids=["prose", "prose and tables"])
def test_flattened_filings_keep_their_items(measured: list[Measured], has_tables: bool) -> None:
    pairs = []
    for result in measured:
        if "Cross-reference index" in result.gold.get("note", ""):
            continue  # has no headings, and without lines no pages
        expected = {
            (item.item, letters(result.text[item.start_char : item.start_char + 200])[0][:25])
            for item in result.items
        }
        flat = starts_in(flattened(result.blocks, has_tables=has_tables))
        pairs.append((expected, flat))
    assert_found(pairs, 0.97)


def test_flattened_texts_of_another_corpus_keep_their_items(shared: Path) -> None:
    pairs = []
    for file in sorted((shared / "reference/edgar-corpus").glob("*_10K_*")):
        sections = read_record(unpack(file.read_bytes()).decode()).sections or {}
        expected = {(item, letters(text)[0][:25]) for item, text in sections.items()}
        flat = starts_in(" ".join(f"ACME CORP FORM 10-K {' '.join(sections.values())}".split()))
        pairs.append((expected, flat))
    assert_found(pairs, 0.98)


def assert_found(pairs: list[tuple[set[tuple[str, str]], ...]], least_recall: float) -> None:
    right = sum(len(expected & found) for expected, found in pairs)
    precision = right / sum(len(found) for _, found in pairs)
    recall = right / sum(len(expected) for expected, _ in pairs)
    print(f"precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.98
    assert recall >= least_recall


# --- the cover ------------------------------------------------------------------------------


def test_flattened_covers_name_the_same_period(measured: list[Measured], shared: Path) -> None:
    manifest = {
        row["file"]: row
        for row in map(
            json.loads, (shared / "filings/manifest.jsonl").read_text(encoding="utf-8").splitlines()
        )
    }
    for result in measured:
        text = flattened(result.blocks, has_tables=True)
        filing = parse_filing(text.encode(), "flat.txt").filing
        row = manifest[result.gold["file"]]
        assert str(filing.period_end) == row["period_of_report"], row["file"]
        first_word = letters(row["company"].split()[0])[0]
        assert first_word in letters(filing.company or "")[0], (row["file"], filing.company)
        assert len(filing.company or "") <= 60
