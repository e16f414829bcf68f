"""The auditors' CSV: safe to open, and read back as spreadsheets save it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tasks.results.audit.sheet import SheetError, read_filled, write_rows

COLUMNS = ("id", "rating", "note", "auditor")


def read(file: Path) -> list[dict[str, str]]:
    rows, _ = read_filled(file, COLUMNS, ("rating", "note"))
    return [*rows.values()]


def saved(file: Path, *rows: tuple[str, ...]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([COLUMNS, *rows])
    return file


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ("a\x1b[2Jb\x07\r\nd\te\x7f", "a⟨U+001B⟩[2Jb⟨U+0007⟩\nd\te⟨U+007F⟩"),
        ("\r=1", "'=1"),
        ("=1", "'=1"),
    ],
)
def test_a_cell_is_shown_and_neither_run_nor_obeyed(answer: str, cell: str, tmp_path: Path) -> None:
    write_rows(tmp_path / "audit.csv", ["answer"], [[answer]])
    with (tmp_path / "audit.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["answer"] == cell


def test_a_file_that_may_hold_ratings_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "audit.csv").write_text("hours of work")
    with pytest.raises(SheetError, match=r"audit\.csv"):
        write_rows(tmp_path / "audit.csv", COLUMNS, [])
    assert (tmp_path / "audit.csv").read_text() == "hours of work"
    with pytest.raises(SheetError, match="cannot write"):
        write_rows(tmp_path / "none" / "audit.csv", COLUMNS, [])


def test_filled_rows_are_read_and_empty_ones_counted(tmp_path: Path) -> None:
    file = saved(
        tmp_path / "a.csv",
        ("audit-1", " 4 ", "'-5 is wrong\nb", " Ann "),
        ("audit-0", "", "", ""),
        ("", "", "", ""),
    )
    row = {"id": "audit-1", "rating": "4", "note": "-5 is wrong\nb", "auditor": "Ann"}
    assert read_filled(file, COLUMNS, ("rating", "note")) == ({2: row}, 1)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_spreadsheets_may_save_it_their_way(tmp_path: Path, delimiter: str, encoding: str) -> None:
    header = delimiter.join(["Rating", "extra", "AUDITOR ", "id", "note"])
    line = delimiter.join(["5", "x", "Ann", "audit-1", "é"])
    (tmp_path / "a.csv").write_text(f"{header}\r\n{line}\r\n", encoding=encoding, newline="")
    rows = read(tmp_path / "a.csv")
    row = {"id": "audit-1", "rating": "5", "note": "é", "auditor": "Ann"}
    assert rows == [row | {"extra": "x"}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "lacks a column"),
        (b"id,rating,note,auditor\na,4,,Ann,more\n", "row 2: 5 cells under 4 columns"),
        (b"id,rating,note\na,4,\n", "its first row must name id, rating, note, auditor"),
        ("id,rating,note,auditor\na,4,é,Ann\n".encode("cp1252"), "is not UTF-8; save it again"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(SheetError, match=says):
        read(tmp_path / "a.csv")
    with pytest.raises(SheetError, match=r"none\.csv"):
        read(tmp_path / "none.csv")
