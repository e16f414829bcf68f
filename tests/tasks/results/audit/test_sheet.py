"""The auditors' CSV: safe to open, and read back as spreadsheets save it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tasks.core.errors import RunFailed
from tasks.results.audit.sheet import read_rows, write_rows

COLUMNS = ("id", "rating", "note", "auditor")


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
    with pytest.raises(RunFailed, match=r"audit\.csv"):
        write_rows(tmp_path / "audit.csv", COLUMNS, [])
    assert (tmp_path / "audit.csv").read_text() == "hours of work"
    with pytest.raises(RunFailed, match="cannot write"):
        write_rows(tmp_path / "none" / "audit.csv", COLUMNS, [])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_spreadsheets_may_save_it_their_way(tmp_path: Path, delimiter: str, encoding: str) -> None:
    header = delimiter.join(["Rating", "extra", "AUDITOR ", "id", "note"])
    line = delimiter.join([" 5", "x", "Ann", "audit-1", "'-é"])
    (tmp_path / "a.csv").write_text(f"{header}\r\n{line}\r\n", encoding=encoding, newline="")
    row = {"id": "audit-1", "rating": "5", "note": "-é", "auditor": "Ann"}
    assert read_rows(tmp_path / "a.csv") == [row | {"extra": "x"}]


def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"id,rating,note,auditor\na,4,,Ann,more\n")
    with pytest.raises(RunFailed, match="row 2: 5 cells under 4 columns"):
        read_rows(file)
    file.write_bytes("id,note\na,é\n".encode("cp1252"))
    with pytest.raises(RunFailed, match="saved as `CSV UTF-8`"):
        read_rows(file)
    with pytest.raises(RunFailed, match=r"none\.csv"):
        read_rows(tmp_path / "none.csv")
