"""Twenty real filings, 1993 to 2025: laws for each, and facts read by eye."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.text.tokens import count_tokens
from tests.some import some
from tests.tasks.filings.reader.record import describe, read_files, recorded


@pytest.fixture(scope="session")
def parsed(shared: Path) -> dict[str, ParsedFiling]:
    return read_files(shared / "filings")


@pytest.fixture(scope="session")
def manifest(shared: Path) -> dict[str, dict[str, Any]]:
    lines = (shared / "filings" / "manifest.jsonl").read_text().splitlines()
    return {row["file"]: row for row in map(json.loads, lines)}


def test_reads_all_filings(parsed: dict[str, ParsedFiling], manifest: dict[str, Any]) -> None:
    assert set(parsed) == set(manifest)
    assert len(parsed) == 20


def test_what_is_read_is_as_recorded(parsed: dict[str, ParsedFiling]) -> None:
    for name, filing in some(parsed.items()):
        assert describe(name, filing) == recorded()[name]


def test_identities_match_the_manifest(
    parsed: dict[str, ParsedFiling], manifest: dict[str, Any]
) -> None:
    for name, row in some(manifest.items()):
        filing = parsed[name].filing
        assert (filing.form, str(filing.period_end)) == (
            row["form_type"],
            row["period_of_report"],
        ), name
        assert filing.company, name
        assert filing.cik in (None, row["cik"]), name
        if "full-submission" in name:
            assert (filing.filing_id, filing.cik) == (row["accession"], row["cik"]), name
            assert str(filing.filed_date) == row["filing_date"], name


def test_their_text_is_clean_and_offsets_are_exact(parsed: dict[str, ParsedFiling]) -> None:
    for name, filing in some(parsed.items()):
        document = filing.document
        text = document.text
        assert not re.search(
            "\n\n\n|[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u200b\ufeff\u2011\t\r]", text
        ), name
        assert not re.search(
            r"</?(?:p|div|font|td|tr|span|b|table|page|s|c|caption|ix:\w+)\b[^>]*>",
            text,
            re.IGNORECASE,
        ), name
        assert not re.search(r"&(?:nbsp|amp|lt|gt|#\d+);", text), name
        paragraphs = [text[p.start_char : p.end_char] for p in document.paragraphs]
        assert "\n\n".join(paragraphs) == text, name
        assert all(
            paragraph.strip() and paragraph == paragraph.rstrip() for paragraph in paragraphs
        ), name
        spans = {(p.start_char, p.end_char) for p in document.paragraphs}
        for table in filing.tables:
            assert (table.start_char, table.end_char) in spans, name
            assert len({len(row) for row in table.cells}) == 1, name
            drawn = re.sub(r"[\s|.]", "", text[table.start_char : table.end_char])
            words = [cell for row in table.cells for cell in (*row[0].split(), *row[1:])]
            assert all(re.sub(r"[\s|.]", "", word) in drawn for word in words), (
                name,
                table.table_index,
            )
        for item in document.items:
            assert 0 <= item.start_char < item.end_char <= len(text), name


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_tokens_of_paragraphs_sum_to_those_of_the_text(
    parsed: dict[str, ParsedFiling], shared: Path, encoding: str
) -> None:
    for name, filing in some(parsed.items()):
        document = filing.document
        if encoding != document.encoding:  # a few, since tokens are what takes the time
            if not name.startswith(("textron", "reac", "sandston")):
                continue
            document = parse_filing(
                unpack((shared / "filings" / name).read_bytes()), name, encoding
            ).document
        assert sum(p.n_tokens for p in document.paragraphs) == document.n_tokens, name
        assert count_tokens(document.text, encoding) == document.n_tokens, name
