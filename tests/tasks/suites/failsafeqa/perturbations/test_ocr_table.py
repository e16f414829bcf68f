"""Character tables: ours, the published one, and unusable ones."""

from __future__ import annotations

import json
import os
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
    return str(path)


def test_our_table_covers_the_characters_of_filings():
    table = load_table()
    printed = set(map(chr, range(33, 127))) - set("<>\\^`{}~")
    assert printed <= set(table.rows)
    assert {" ", "\n", "’", "“", "”", "–", "—"} <= set(table.rows)


def test_our_table_confuses_what_looks_alike():
    table = load_table()
    assert {"1", "I"} <= set(table.rows["l"].replacements.texts)
    assert "0" in table.rows["O"].replacements.texts
    assert "rn" in table.rows["m"].replacements.texts
    assert all(char not in row.replacements.texts for char, row in table.rows.items())


def test_reads_the_published_table(shared):
    table = load_table(str(shared / "reference" / "failsafeqa" / "ocr_english_char_probs.jsonl"))
    assert len(table.rows) == 346  # and OTHER_CHAR
    scan = scan_text("Net sales increased to $51.9 million. " * 2000, random.Random(2), table, 0.10)
    assert 0.04 < scan.error_rate < 0.08
    assert table.sha256 != load_table().sha256


def test_a_character_that_is_never_struck_stays(tmp_path):
    never = {**ROW, "DELETE": 0, "REPLACE": 0, "INSERT": 0, "REPLACE_CHAR": {}, "INSERT_CHAR": {}}
    table = load_table(write(tmp_path, {"OTHER_CHAR": ROW}, {"z": never}))
    assert scan_text("z" * 5000, random.Random(1), table, 1.0).text == "z" * 5000


def test_choice_follows_its_shares(tmp_path):
    table = load_table(write(tmp_path, {"OTHER_CHAR": ROW}, "", {"SPACE_CHAR": ROW}))
    assert set(table.rows) == {" "}
    choice = table.row("?").replacements
    assert [choice.at(u) for u in (0.0, 0.74, 0.76, 0.999999)] == ["c", "c", " ", " "]


def test_reads_a_table_again_only_if_it_changed(tmp_path):
    path = write(tmp_path, {"OTHER_CHAR": ROW})
    first = load_table(path)
    assert load_table(path) is first
    stood = os.stat(path)
    write(tmp_path, {"OTHER_CHAR": {**ROW, "KEEP": 0.98}})  # as many bytes
    os.utime(path, ns=(stood.st_atime_ns, stood.st_mtime_ns))
    assert load_table(path).other.keep == 0.98
    assert load_table(path).sha256 != first.sha256


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["{"], "line 1: expected one object"),
        ([{"OTHER_CHAR": ROW}, {"a": 3}], "line 2: expected one object"),
        ([{"a": ROW}], "no row OTHER_CHAR"),
        ([{"OTHER_CHAR": {**ROW, "KEEP": 1.2}}], "line 1: .*not a number from 0 to 1"),
        ([{"OTHER_CHAR": {**ROW, "DELETE": 0.9}}], "line 1: DELETE, REPLACE and INSERT do not sum"),
        ([{"OTHER_CHAR": {**ROW, "REPLACE_CHAR": {"a": 0.5}}}], "line 1: .*REPLACE_CHAR .*not sum"),
        ([{"OTHER_CHAR": {**ROW, "INSERT_CHAR": ["a"]}}], "line 1: expected one object"),
    ],
)
def test_unusable_table_names_the_wrong_line(tmp_path, lines, says):
    path = write(tmp_path, *lines)
    with pytest.raises(TableError, match=says) as caught:
        load_table(path)
    assert path in str(caught.value)


def test_refuses_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TableError, match="not UTF-8"):
        load_table(str(path))
