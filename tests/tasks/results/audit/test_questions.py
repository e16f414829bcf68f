"""People answer questions before they see our answers, then say whether both agree."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tasks.core.errors import RunFailed
from tasks.core.rows import Context, QAPair, QuestionAudit
from tasks.lake.lake import Lake, LakeStep
from tasks.results.audit.questions import AGREEMENT, ANSWERS, _context, ask_people, compare
from tasks.results.audit.sheet import import_sheet

TABLE = (
    '<table><tr><th></th><th colspan="2">2021</th></tr><tr><td>A &lt; B</td><td>5</td></tr></table>'
)
PLACE = ("2026.11", "tablequest")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A frozen release of eight questions, easy and medium."""
    lake = Lake(tmp_path / "lake")
    lake.make()
    context = Context(
        context_id="context",
        document_ids=("document",),
        kind="snippet",
        text=f"In <b>millions</b>\n\n{TABLE}",
        n_tokens=9,
        encoding="cl100k_base",
        start_char=0,
        details="{}",
    )
    pairs = [
        QAPair(
            qa_pair_id=f"pair-{kind}-{n}",
            context_id="context",
            task=kind,
            query=f"=What is {n}?",
            answer=f"$9{n} secret",
            citations=(),
            citation_text="",
            traits={},
        )
        for kind in ("medium", "easy")
        for n in range(4)
    ]
    release, suite = PLACE
    step, identity = LakeStep(release, f"{suite}.build"), {"parameters": {}, "inputs": {}}
    parts = [
        lake.write(step, identity, Context, [context], suite=suite, kind="snippet"),
        lake.write(step, identity, QAPair, pairs, suite=suite),
    ]
    lake.commit(step, identity, parts)
    return lake


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as opened:
        delimiter = ";" if file.name.startswith("filled") else ","
        return list(csv.DictReader(opened, delimiter=delimiter))


def fill(file: Path, n: int | None = None, **cells: str) -> Path:
    """Fill the columns of the first n rows, as a spreadsheet saves it."""
    rows = rows_of(file)
    for row in rows[:n]:
        row |= {column.replace("_", " "): cell for column, cell in cells.items()}
    filled = file.with_name(f"filled {len(list(file.parent.iterdir()))} {file.name}")
    with filled.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return filled


def stored(lake: Lake, row_type: type = QuestionAudit) -> list:
    return [row for commit in lake.commits(PLACE[0]) for row in lake.each(commit, row_type)]


@pytest.fixture
def first(lake: Lake, tmp_path: Path) -> Path:
    ask_people(lake, tmp_path / "first.csv", PLACE, 4, 1)
    return tmp_path / "first.csv"


@pytest.fixture
def second(lake: Lake, first: Path, tmp_path: Path) -> Path:
    answered = fill(first, your_answer="=90", where_you_found_it="table 1", auditor="Ann")
    assert compare(lake, answered, tmp_path / "second.csv") == (8, 0)
    return tmp_path / "second.csv"


def test_the_first_sheet_and_its_page_give_neither_answer_nor_kind_away(
    lake: Lake, tmp_path: Path
) -> None:
    _, file = ask_people(lake, tmp_path / "first.csv", PLACE, 1, 1)
    page = file.read_text(encoding="utf-8")
    rows = rows_of(tmp_path / "first.csv")
    assert tuple(rows[0]) == ANSWERS.columns
    assert rows[0]["question"].startswith("'=What is ")
    assert TABLE in page
    assert "In &lt;b&gt;millions&lt;/b&gt;" in page
    shown = page + (tmp_path / "first.csv").read_text(encoding="utf-8")
    assert not [word for word in ("secret", "easy", "medium") if word in shown]


@pytest.mark.parametrize(
    "attack", ["<table><tr><td><script>x</script></td></tr></table>", '<table onload="x"></table>']
)
def test_a_context_cannot_run_anything_on_the_page(attack: str) -> None:
    assert "<script" not in _context(attack)
    assert "<table onload" not in _context(attack)


def test_answers_are_stored_before_the_second_sheet_shows_ours(lake: Lake, second: Path) -> None:
    rows = rows_of(second)
    assert tuple(rows[0]) == AGREEMENT.columns
    assert {(row["your answer"], row["auditor"], row["kind"]) for row in rows} == {
        ("'=90", "Ann", "")
    }
    assert {row["our answer"] for row in rows} == {f"$9{n} secret" for n in range(4)}
    audits = stored(lake)
    answers = {(row.auditor, row.answer, row.sources) for row in audits}
    assert answers == {("Ann", "=90", "table 1")}
    assert {row.question_item_id for row in audits} == {row["id"] for row in rows}
    assert all(
        row.answered_at and row.agrees is row.rated_kind is row.rated_at is None for row in audits
    )


def test_answers_may_follow_later(lake: Lake, first: Path, tmp_path: Path) -> None:
    for n in (6, 7):
        answered = fill(first, n, your_answer="5", auditor="Ann")
        assert compare(lake, answered, tmp_path / f"{n}.csv") == (n, 8 - n)
        assert len(stored(lake)) == n


@pytest.mark.parametrize(
    ("cells", "says"),
    [({}, "no answers yet"), ({"your_answer": "5", "auditor": ""}, "no auditor is named")],
)
def test_a_first_sheet_with_a_row_that_cannot_be_used_stores_nothing(
    cells: dict[str, str], says: str, lake: Lake, first: Path, tmp_path: Path
) -> None:
    with pytest.raises(RunFailed, match=says):
        compare(lake, fill(first, **cells), tmp_path / "second.csv")
    assert not (tmp_path / "second.csv").exists()
    assert stored(lake) == []


@pytest.mark.parametrize(
    "changed", [{"your_answer": "$90 secret"}, {"where_you_found_it": "table 2"}]
)
def test_an_answer_cannot_be_changed_once_ours_may_have_been_seen(
    changed: dict[str, str], lake: Lake, second: Path, first: Path, tmp_path: Path
) -> None:
    before = stored(lake)
    same = {"your_answer": "=90", "where_you_found_it": "table 1", "auditor": "Ann"}
    with pytest.raises(RunFailed, match="Ann has answered already: '=90'"):
        compare(lake, fill(first, **same | changed), tmp_path / "again.csv")
    assert not (tmp_path / "again.csv").exists()
    assert compare(lake, fill(first, **same), tmp_path / "again.csv") == (8, 0)
    assert stored(lake) == before


def test_no_sheet_is_written_over(lake: Lake, tmp_path: Path, first: Path, second: Path) -> None:
    with pytest.raises(RunFailed, match="would be overwritten"):
        ask_people(lake, first, PLACE, 4, 1)
    with pytest.raises(RunFailed, match="would be overwritten"):
        ask_people(lake, tmp_path / "page.html", PLACE, 4, 1)
    (tmp_path / "first.html").unlink()
    with pytest.raises(RunFailed, match="exists"):
        ask_people(lake, first, PLACE, 4, 1)
    with pytest.raises(RunFailed, match="exists"):
        compare(lake, fill(first, your_answer="5", auditor="Bob"), second)
    assert {row.auditor for row in stored(lake)} == {"Ann"}


def test_ratings_are_stored_beside_the_answers(lake: Lake, second: Path) -> None:
    rows, n_empty = import_sheet(
        lake, fill(second, 6, agree="Yes", kind="EASY", note="hm"), AGREEMENT
    )
    assert (len(rows), n_empty) == (6, 2)
    audits = stored(lake)
    ratings = Counter((row.agrees, row.rated_kind, row.note, bool(row.rated_at)) for row in audits)
    assert ratings == {(True, "easy", "hm", True): 6, (None, None, None, False): 2}
    assert {row.answer for row in audits} == {"=90"}
    import_sheet(lake, fill(second, 6, agree="Yes", kind="easy", note="hm"), AGREEMENT)
    assert stored(lake) == audits
    import_sheet(lake, fill(second, agree="n", kind="easy", note="hm"), AGREEMENT)
    assert {row.agrees for row in stored(lake)} == {False}


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            {"agree": "perhaps", "kind": "easy"},
            "kind one of easy, medium; not 'perhaps' and 'easy'",
        ),
        ({"agree": "no", "kind": "odd"}, "not 'no' and 'odd'"),
        ({"auditor": "Bob"}, "the lake has no answer of Bob"),
    ],
)
def test_a_rating_that_cannot_be_used_is_named(
    cells: dict[str, str], says: str, lake: Lake, second: Path
) -> None:
    file = fill(fill(second, agree="no", kind="easy"), 1, **cells)
    with pytest.raises(RunFailed) as refused:
        import_sheet(lake, file, AGREEMENT)
    assert f"{file}, row 2: " in str(refused.value)
    assert says in str(refused.value)
