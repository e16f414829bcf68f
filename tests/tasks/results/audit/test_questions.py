"""People answer questions before they see our answers, then say whether both agree."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tasks.core.errors import WrongUsage
from tasks.core.rows import Context, QAPair, QuestionAudit
from tasks.lake.lake import Lake, LakeError, Step
from tasks.results.audit.questions import (
    FIRST,
    SECOND,
    AuditQuestion,
    ask_people,
    compare,
    draw_questions,
    import_agreement,
    questions_of,
)
from tasks.results.audit.sheet import SheetError

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
    step, identity = Step(release, f"{suite}.build"), {"parameters": {}, "inputs": {}}
    parts = [
        lake.write(step, identity, Context, [context], suite=suite, kind="snippet"),
        lake.write(step, identity, QAPair, pairs, suite=suite),
    ]
    lake.commit(step, identity, parts)
    return lake


def draw(lake: Lake, n: int = 4, seed: int = 1):
    return draw_questions(questions_of(lake, *PLACE).values(), n, seed)


def test_strata_of_a_kind_take_turns_and_spare_questions_come_last() -> None:
    def asked(stratum: str, n: int, *, is_spare: bool = False) -> list[AuditQuestion]:
        kind, _, part = stratum.partition(": ")
        return [
            AuditQuestion(f"{stratum} {i}", kind, "?", part, "text", stratum, is_spare)
            for i in range(n)
        ]

    few, many = asked("label: negative", 3), asked("label: positive", 90)
    spare = asked("label: positive, unused", 40, is_spare=True)

    def strata(n: int, seed: int = 1) -> Counter[str]:
        drawn = draw_questions([*spare, *many, *few], n, seed)
        found = Counter(question.stratum for question, *_ in drawn)
        assert {(question.stratum, n_drawn) for question, _, n_drawn in drawn} == set(found.items())
        assert len({question.qa_pair_id for question, *_ in drawn}) == len(drawn)
        return found

    assert strata(6) == {"label: negative": 3, "label: positive": 3}
    assert strata(50) == {"label: negative": 3, "label: positive": 47}
    assert strata(100) == {
        "label: negative": 3, "label: positive": 90, "label: positive, unused": 7,
    }  # fmt: skip
    of_seeds = [
        {question.qa_pair_id for question, *_ in draw_questions([*many, *few], 50, seed)}
        for seed in (1, 2)
    ]
    assert of_seeds[0] != of_seeds[1]


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
    ask_people(lake, tmp_path / "first.csv", PLACE, draw(lake))
    return tmp_path / "first.csv"


@pytest.fixture
def second(lake: Lake, first: Path, tmp_path: Path) -> Path:
    answered = fill(first, your_answer="=90", where_you_found_it="table 1", auditor="Ann")
    assert compare(lake, answered, tmp_path / "second.csv") == (8, [])
    return tmp_path / "second.csv"


def test_as_many_of_each_kind_are_drawn_by_the_seed_in_an_order_that_shows_none(lake: Lake) -> None:
    drawn = draw(lake, 2)
    assert Counter(question.kind for question, *_ in drawn) == {"easy": 2, "medium": 2}
    assert {(n_stratum, n_drawn) for _, n_stratum, n_drawn in drawn} == {(4, 2)}
    asked = questions_of(lake, *PLACE).values()
    assert drawn == draw_questions(reversed(list(asked)), 2, seed=1)
    assert len(draw(lake, 99)) == 8
    assert len({tuple(draw_questions(asked, 2, seed)) for seed in range(9)}) > 3
    with pytest.raises(WrongUsage, match="--n 0"):
        draw_questions(asked, 0, seed=1)


def test_the_first_sheet_and_its_page_give_neither_answer_nor_kind_away(
    lake: Lake, tmp_path: Path
) -> None:
    page = ask_people(lake, tmp_path / "first.csv", PLACE, draw(lake, 1)).read_text(
        encoding="utf-8"
    )
    rows = rows_of(tmp_path / "first.csv")
    assert tuple(rows[0]) == FIRST
    assert rows[0]["question"].startswith("'=What is ")
    assert TABLE in page
    assert "In &lt;b&gt;millions&lt;/b&gt;" in page
    shown = page + (tmp_path / "first.csv").read_text(encoding="utf-8")
    assert not [word for word in ("secret", "easy", "medium") if word in shown]


def test_a_context_cannot_run_anything_on_the_page(lake: Lake, tmp_path: Path) -> None:
    for attack in (
        "<table><tr><td><script>x</script></td></tr></table>",
        '<table onload="x"></table>',
    ):
        asked = AuditQuestion("pair", "easy", "<i>?", "", attack, "easy", is_spare=False)
        file, drawn = tmp_path / f"{len(attack)}.csv", draw_questions([asked], 1, seed=0)
        page = ask_people(lake, file, PLACE, drawn).read_text(encoding="utf-8")
        assert "<script" not in page
        assert "<table onload" not in page
        assert "<i>" not in page


def test_answers_are_stored_before_the_second_sheet_shows_ours(lake: Lake, second: Path) -> None:
    rows = rows_of(second)
    assert tuple(rows[0]) == SECOND
    assert {(row["your answer"], row["auditor"], row["kind"]) for row in rows} == {
        ("'=90", "Ann", "")
    }
    assert {row["our answer"] for row in rows} == {f"$9{n} secret" for n in range(4)}
    audits = stored(lake)
    given = {(row.auditor, row.answer, row.sources) for row in audits}
    assert given == {("Ann", "=90", "table 1")}
    assert {row.question_item_id for row in audits} == {row["id"] for row in rows}
    assert all(
        row.answered_at and row.agrees is row.rated_kind is row.rated_at is None for row in audits
    )


def test_rows_without_an_answer_are_counted_and_named(
    lake: Lake, first: Path, tmp_path: Path
) -> None:
    n, empty = compare(lake, fill(first, 6, your_answer="5", auditor="Ann"), tmp_path / "2.csv")
    assert (n, empty) == (6, [row["id"] for row in rows_of(first)[6:]])
    # they may follow
    n, empty = compare(lake, fill(first, 7, your_answer="5", auditor="Ann"), tmp_path / "3.csv")
    assert (n, len(empty), len(stored(lake))) == (7, 1, 7)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({}, "no answers yet"),
        ({"your_answer": "5", "auditor": ""}, "no auditor is named"),
        ({"your_answer": "5", "auditor": "all auditors"}, "cannot name an auditor"),
        ({"your_answer": "5", "auditor": "Ann", "id": "x"}, "nothing with the id 'x'"),
    ],
)
def test_a_first_sheet_with_a_row_that_cannot_be_used_stores_nothing(
    cells: dict[str, str], says: str, lake: Lake, first: Path, tmp_path: Path
) -> None:
    with pytest.raises(SheetError, match=says):
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
    with pytest.raises(SheetError, match="Ann has answered already: '=90'"):
        compare(lake, fill(first, **same | changed), tmp_path / "again.csv")
    assert not (tmp_path / "again.csv").exists()
    assert compare(lake, fill(first, **same), tmp_path / "again.csv") == (8, [])
    assert stored(lake) == before


def test_answers_that_cannot_be_stored_are_not_shown_ours(
    lake: Lake, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise LakeError("no space left")

    monkeypatch.setattr(Lake, "commit", full)
    with pytest.raises(LakeError):
        compare(lake, fill(first, your_answer="5", auditor="Ann"), tmp_path / "second.csv")
    assert not (tmp_path / "second.csv").exists()


def test_a_question_that_the_release_has_lost_is_named(
    lake: Lake, first: Path, tmp_path: Path
) -> None:
    release, suite = PLACE
    (built,) = (commit for commit in lake.commits(release) if commit.step.name.endswith(".build"))
    (context,) = lake.read(built, Context)
    (pair, *_) = lake.read(built, QAPair)
    parts = [
        lake.write(built.step, built.identity, Context, [context], suite=suite, kind="snippet"),
        lake.write(built.step, built.identity, QAPair, [pair], suite=suite),
    ]
    lake.commit(built.step, built.identity, parts)
    with pytest.raises(SheetError, match="no longer has the question question-"):
        compare(lake, fill(first, your_answer="5", auditor="Ann"), tmp_path / "second.csv")
    assert not (tmp_path / "second.csv").exists()
    assert stored(lake) == []


def test_no_sheet_is_written_over(lake: Lake, tmp_path: Path, first: Path, second: Path) -> None:
    with pytest.raises(SheetError, match="would be overwritten"):
        ask_people(lake, first, PLACE, draw(lake))
    with pytest.raises(SheetError, match="would be overwritten"):
        ask_people(lake, tmp_path / "page.html", PLACE, draw(lake))
    (tmp_path / "first.html").unlink()
    with pytest.raises(SheetError, match="exists"):
        ask_people(lake, first, PLACE, draw(lake))
    with pytest.raises(SheetError, match="exists"):
        compare(lake, fill(first, your_answer="5", auditor="Bob"), second)
    assert {row.auditor for row in stored(lake)} == {"Ann"}


def test_ratings_are_stored_beside_the_answers(lake: Lake, second: Path) -> None:
    done = import_agreement(lake, fill(second, 6, agree="Yes", kind="EASY", note="hm"))
    assert (done.n_rated, done.n_unrated) == (6, 2)
    audits = stored(lake)
    said = Counter((row.agrees, row.rated_kind, row.note, bool(row.rated_at)) for row in audits)
    assert said == {(True, "easy", "hm", True): 6, (None, None, None, False): 2}
    assert {row.answer for row in audits} == {"=90"}
    import_agreement(lake, fill(second, 6, agree="Yes", kind="easy", note="hm"))
    assert stored(lake) == audits
    import_agreement(lake, fill(second, agree="n", kind="easy", note="hm"))
    assert {row.agrees for row in stored(lake)} == {False}


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            {"agree": "perhaps", "kind": "easy"},
            "kind one of easy, medium; not 'perhaps' and 'easy'",
        ),
        ({"agree": "no", "kind": "odd"}, "not 'no' and 'odd'"),
        ({"agree": "no", "kind": ""}, "not 'no' and ''"),
        ({"agree": "", "kind": "", "note": "hm"}, "not '' and ''"),
        ({"auditor": "Bob"}, "the lake has no answer of Bob"),
        ({"id": "x"}, "nothing with the id 'x'"),
    ],
)
def test_a_rating_that_cannot_be_used_is_named_and_the_others_are_taken(
    cells: dict[str, str], says: str, lake: Lake, second: Path
) -> None:
    file = fill(fill(second, agree="no", kind="easy"), 1, **cells)
    done = import_agreement(lake, file)
    (problem,) = done.problems
    assert problem.startswith(f"{file}, row 2: ")
    assert says in problem
    assert (done.n_rated, done.n_unrated) == (7, 0)
