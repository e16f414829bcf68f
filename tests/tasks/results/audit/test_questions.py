"""People answer questions before they see our answers, then say whether both agree."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tasks.results.audit.questions import (
    FIRST,
    SECOND,
    Asked,
    Counted,
    count_second,
    draw_questions,
    write_first,
    write_second,
)
from tasks.results.audit.sheet import SheetError

TABLE = (
    '<table><tr><th></th><th colspan="2">2021</th></tr><tr><td>A &lt; B</td><td>5</td></tr></table>'
)
QUESTIONS = {
    f"pair-{kind}-{n}": Asked(
        f"pair-{kind}-{n}",
        kind,
        f"=What is {n}?",
        f"$9{n} secret",
        f"In <b>millions</b>\n\n{TABLE}",
    )
    for kind in ("easy", "hard")
    for n in range(4)
}


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def fill(file: Path, **cells: str) -> Path:
    """Fill the columns of every row, as a spreadsheet saves it."""
    rows = [
        row | {name.replace("_", " "): cell for name, cell in cells.items()}
        for row in rows_of(file)
    ]
    filled = file.with_name(f"filled {file.name}")
    with filled.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return filled


@pytest.fixture
def second(tmp_path: Path) -> Path:
    write_first(tmp_path / "first.csv", list(QUESTIONS.values()))
    answered = fill(tmp_path / "first.csv", your_answer="$90", auditor="Ann")
    assert write_second(tmp_path / "second.csv", answered, QUESTIONS) == len(QUESTIONS)
    return tmp_path / "second.csv"


def test_as_many_of_each_kind_are_drawn_by_the_seed_in_an_order_that_shows_none() -> None:
    drawn = draw_questions(QUESTIONS.values(), 2, seed=1)
    assert Counter(each.kind for each in drawn) == {"easy": 2, "hard": 2}
    assert drawn == draw_questions(reversed(list(QUESTIONS.values())), 2, seed=1)
    assert len(draw_questions(QUESTIONS.values(), 99, seed=1)) == 8
    assert len({tuple(draw_questions(QUESTIONS.values(), 2, seed)) for seed in range(9)}) > 3


def test_the_first_sheet_and_its_page_give_neither_answer_nor_kind_away(tmp_path: Path) -> None:
    page = write_first(tmp_path / "first.csv", list(QUESTIONS.values())[:1])
    (row,) = rows_of(tmp_path / "first.csv")
    assert tuple(row) == FIRST
    assert row["question"] == "'=What is 0?"
    shown = page.read_text(encoding="utf-8")
    assert TABLE in shown
    assert "In &lt;b&gt;millions&lt;/b&gt;" in shown
    assert "secret" not in shown + (tmp_path / "first.csv").read_text(encoding="utf-8")


def test_a_context_cannot_run_anything_on_the_page(tmp_path: Path) -> None:
    for attack in (
        "<table><tr><td><script>x</script></td></tr></table>",
        '<table onload="x"></table>',
    ):
        asked = Asked("pair", "easy", "<i>?", "", attack)
        page = write_first(tmp_path / f"{len(attack)}.csv", [asked]).read_text(encoding="utf-8")
        assert "<script" not in page
        assert "<table onload" not in page
        assert "<i>" not in page


def test_only_a_sheet_with_answers_gives_the_second_sheet(tmp_path: Path, second: Path) -> None:
    rows = rows_of(second)
    assert tuple(rows[0]) == SECOND
    assert {(row["your answer"], row["auditor"], row["kind"]) for row in rows} == {
        ("$90", "Ann", "")
    }
    assert {row["our answer"] for row in rows} == {each.answer for each in QUESTIONS.values()}
    with pytest.raises(SheetError, match="no answers yet"):
        write_second(tmp_path / "other.csv", tmp_path / "first.csv", QUESTIONS)
    with pytest.raises(SheetError, match="has no question"):
        write_second(tmp_path / "other.csv", fill(tmp_path / "first.csv", id="x"), QUESTIONS)
    assert not (tmp_path / "other.csv").exists()


def test_no_sheet_is_written_over(tmp_path: Path, second: Path) -> None:
    with pytest.raises(SheetError, match="would be overwritten"):
        write_first(tmp_path / "first.csv", list(QUESTIONS.values()))
    with pytest.raises(SheetError, match="would be overwritten"):
        write_first(tmp_path / "page.html", list(QUESTIONS.values()))
    (tmp_path / "first.html").unlink()
    with pytest.raises(SheetError, match="exists"):
        write_first(tmp_path / "first.csv", list(QUESTIONS.values()))
    with pytest.raises(SheetError, match="exists"):
        write_second(second, fill(tmp_path / "first.csv", your_answer="5"), QUESTIONS)


def test_agreement_is_counted_by_the_kind_of_the_question(second: Path) -> None:
    with pytest.raises(SheetError, match="No row is rated yet"):
        count_second([second], QUESTIONS)
    filled = fill(second, agree="Yes", kind="easy")
    assert count_second([filled], QUESTIONS) == [Counted("easy", 4, 4, 4), Counted("hard", 4, 4, 0)]
    for cells in (
        {"agree": "perhaps", "kind": "easy"},
        {"agree": "no", "kind": "odd"},
        {"agree": "no"},
    ):
        with pytest.raises(SheetError, match=r"and kind one of easy, hard; not '(perhaps|no)' and"):
            count_second([fill(second, **cells)], QUESTIONS)
