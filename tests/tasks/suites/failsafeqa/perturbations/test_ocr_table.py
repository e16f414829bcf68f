"""Character tables: ours, the published one, and unusable ones."""

from __future__ import annotations

import json
import random

import pytest

from tasks.suites.failsafeqa.perturbations.ocr import scan_text
from tasks.suites.failsafeqa.perturbations.ocr_table import TableError, load_table

ROW = {
    "KEEP": 0.99,
    "DELETE": 0.3,
    "REPLACE": 0.5,
    "INSERT": 0.2,
    "REPLACE_CHAR": {"c": 0.75, "SPACE_CHAR": 0.25},
    "INSERT_CHAR": {"'": 1.0},
    "COUNT": 12,
}


def write(tmp_path, *lines):
    path = tmp_path / "table.jsonl"
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    )
    return path


def test_our_table_covers_the_characters_of_filings():
    table = load_table()
    printed = set(map(chr, range(33, 127))) - set("<>\\^`{}~")
    assert printed <= set(table.rows)
    assert {" ", "\n", "’", "“", "”", "–", "—"} <= set(table.rows)


def test_reads_the_published_table(shared):
    table = load_table(shared / "reference" / "failsafeqa" / "ocr_english_char_probs.jsonl")
    assert len(table.rows) == 346  # and OTHER_CHAR
    text = "Net sales increased to $51.9 million. " * 2000
    scan = scan_text(text, random.Random(2), table, 0.10)
    assert 0.04 < scan.edits / len(text) < 0.08
    assert table.sha256 != load_table().sha256


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["{"], "line 1: the line: Invalid JSON"),
        ([{"OTHER_CHAR": ROW}, {"a": 3}], "line 2: a: "),
        ([{"a": ROW}], "no row OTHER_CHAR"),
        ([{"OTHER_CHAR": {**ROW, "KEEP": 1.2}}], "line 1: OTHER_CHAR.KEEP: .*less than or equal"),
        ([{"OTHER_CHAR": {**ROW, "DELETE": 0.9}}], "line 1: DELETE, REPLACE and INSERT do not sum"),
        ([{"OTHER_CHAR": {**ROW, "REPLACE_CHAR": {"a": 0.5}}}], "line 1: .*REPLACE_CHAR .*not sum"),
        ([{"OTHER_CHAR": {**ROW, "INSERT_CHAR": ["a"]}}], "line 1: OTHER_CHAR.INSERT_CHAR: "),
    ],
)
def test_unusable_table_names_the_wrong_line(tmp_path, lines, says):
    path = write(tmp_path, *lines)
    with pytest.raises(TableError, match=says) as caught:
        load_table(path)
    assert str(path) in str(caught.value)
