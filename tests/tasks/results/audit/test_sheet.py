"""The auditors' CSV: safe to open, and read back as spreadsheets save it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tasks.core.rows import AuditItem
from tasks.results.audit.drawing import Shown
from tasks.results.audit.sheet import COLUMNS, Row, SheetError, read_sheet, write_sheet


def shown(answer: str, name: str = "audit-1") -> Shown:
    item = AuditItem(
        audit_item_id=name,
        draw_id="draw",
        judgement_id="judgement",
        request_id="request",
        answer_sha256="",
        rubric="answerable",
        stratum="ocr, compliant, secret-model",
        n_stratum=5,
        n_drawn=1,
    )
    return Shown(item, "Who?", "=cite()", "Ann", answer, "6 = good\n1 = bad")


def filled(
    file: Path, *rows: tuple[str, str, str, str], header: str = "id,rating,note,auditor"
) -> Path:
    with file.open("w", encoding="utf-8", newline="") as out:
        out.write(header + "\r\n")
        csv.writer(out).writerows(rows)
    return file


# --- out -----------------------------------------------------------------------------------


def test_a_sheet_shows_what_is_rated_and_nothing_that_gives_the_model_or_the_rating_away(
    tmp_path: Path,
) -> None:
    write_sheet(tmp_path / "audit.csv", [shown("$5 million, or\nso")])
    with (tmp_path / "audit.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert tuple(row) == COLUMNS
    assert list(row.values()) == [
        "audit-1",
        "Who?",
        "'=cite()",
        "Ann",
        "$5 million, or\nso",
        "6 = good\n1 = bad",
        "",
        "",
        "",
    ]
    text = (tmp_path / "audit.csv").read_text(encoding="utf-8")
    assert not [word for word in ("secret-model", "compliant", "stratum", "draw") if word in text]


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ("a\x1b[2Jb\x07\r\nd\te\x7f", "a⟨U+001B⟩[2Jb⟨U+0007⟩\nd\te⟨U+007F⟩"),
        ("\r=1", "'=1"),
        ("=1", "'=1"),
    ],
)
def test_a_cell_is_shown_and_neither_run_nor_obeyed(answer: str, cell: str, tmp_path: Path) -> None:
    write_sheet(tmp_path / "audit.csv", [shown(answer)])
    with (tmp_path / "audit.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["answer"] == cell


def test_a_file_that_may_hold_ratings_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "audit.csv").write_text("hours of work")
    with pytest.raises(SheetError, match=r"audit\.csv"):
        write_sheet(tmp_path / "audit.csv", [shown("x")])
    assert (tmp_path / "audit.csv").read_text() == "hours of work"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match="cannot write"):
        write_sheet(tmp_path / "none" / "audit.csv", [shown("x")])


# --- in ------------------------------------------------------------------------------------


def test_rated_rows_are_read_and_unrated_ones_counted(tmp_path: Path) -> None:
    file = filled(
        tmp_path / "a.csv",
        ("audit-1", "4", "'-5 is wrong", "Ann"),
        ("audit-2", "", "", ""),
        ("audit-3", " 6.0 ", "", " Bob "),
        ("", "", "", ""),
        ("audit-4", "3,0", "a\nb", "Bob"),
    )
    sheet = read_sheet(file)
    assert sheet.rows == (
        Row(2, "audit-1", 4, "-5 is wrong", "Ann"),
        Row(4, "audit-3", 6, None, "Bob"),
        Row(6, "audit-4", 3, "a\nb", "Bob"),
    )
    assert (sheet.n_unrated, sheet.problems) == (1, ())


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_spreadsheets_may_save_it_their_way(tmp_path: Path, delimiter: str, encoding: str) -> None:
    header = delimiter.join(["Rating", "extra", "AUDITOR ", "id", "note"])
    line = delimiter.join(["5", "x", "Ann", "audit-1", "é"])
    (tmp_path / "a.csv").write_text(f"{header}\r\n{line}\r\n", encoding=encoding, newline="")
    assert read_sheet(tmp_path / "a.csv").rows == (Row(2, "audit-1", 5, "é", "Ann"),)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("audit-1", "7", "", "Ann"), "the rating '7' is not a whole number from 1 to 6"),
        (("audit-1", "4.5", "", "Ann"), "the rating '4.5' is not a whole number from 1 to 6"),
        (("audit-1", "good", "", "Ann"), "the rating 'good' is not a whole number from 1 to 6"),
        (("audit-1", "4", "", ""), "no auditor is named"),
        (("audit-1", "", "hm", "Ann"), "a note without a rating is not kept"),
        (("audit-1", "4", "", "Ann", "more"), "5 cells under 4 columns"),
    ],
)
def test_a_row_that_cannot_be_taken_says_where_it_is_and_what_to_do(
    tmp_path: Path, row, says
) -> None:
    file = filled(tmp_path / "a.csv", ("audit-0", "1", "", "Ann"), row)
    sheet = read_sheet(file)
    assert [found.audit_item_id for found in sheet.rows] == ["audit-0"]
    (problem,) = sheet.problems
    assert problem.startswith(f"{file}, row 3: {says}")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "lacks a column"),
        (
            b"id,rating,note\naudit-1,4,\n",
            "lacks a column: its first row must name id, rating, note, auditor",
        ),
        (
            "id,rating,note,auditor\naudit-1,4,é,Ann\n".encode("cp1252"),
            "is not UTF-8; save it again",
        ),
    ],
)
def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(SheetError, match=says):
        read_sheet(tmp_path / "a.csv")


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match=r"none\.csv"):
        read_sheet(tmp_path / "none.csv")
