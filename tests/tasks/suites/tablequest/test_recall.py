"""The recall study: its evidence, its questions and answers, and the recall of their tokens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pydantic import ValidationError

from tasks.core.rows import Document, FilingTable, Reject
from tasks.core.tables import arrow_schema, to_record
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.samples import sample_folder
from tasks.inference.operation import Call
from tasks.suites.suite import StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.recall.evidence import Explained, of_document, of_paper
from tasks.suites.tablequest.recall.papers import (
    BROKEN,
    NO_CAPTION,
    NO_PAPER,
    NO_TABLE,
    NOT_MARKDOWN,
    NOT_NAMED,
    NOT_TEXT,
    SAME_NUMBER,
    TOO_SMALL,
    TWO_CAPTIONS,
    read_paper,
    read_papers,
)
from tasks.suites.tablequest.recall.study import (
    NO_ANSWER,
    NOT_ANSWERED,
    NOT_EXPLAINED,
    NOT_IN_EVIDENCE,
    NOT_WRITTEN,
    NOTHING_TO_ASK,
    STEP,
    shared_tokens,
    study,
)
from tasks.suites.tablequest.rows import PaperTable, RecallAnswer
from tests.scripted import Scripted, by_operation

GRID = "| Model | Score |\n|---|---|\n| Ours | 84.3 |\n| Other | 82.2 |\n"
CAPTION = "Table 3: Scores.\n"
TEXT = "As Table 3 shows, ours has 84.3 points. The other has 82.2.\n"
PAPER = f"# Results\n\n{TEXT}\n{CAPTION}\n{GRID}"


def of_papers(text: str) -> tuple[list[PaperTable], list[str]]:
    """A paper's tables, and the reasons of its rejects."""
    rows = list(read_paper("a.md", text))
    rejects = [row.reason for row in rows if isinstance(row, Reject)]
    return [row for row in rows if isinstance(row, PaperTable)], rejects


# --- papers ----------------------------------------------------------------------------------


def test_a_papers_table_has_the_sentences_of_the_sections_that_name_it() -> None:
    ((table,), rejects) = of_papers(
        f"# One\n\nNothing here.\n\n# Two\n\n{TEXT}\n{CAPTION}\n{GRID}\n"
        "# Three\n\nSee Tables 2-4.\n\n# Four\n\nTable 1 is another one.\n"
    )
    assert rejects == []
    assert (table.number, table.caption) == ("3", "Table 3: Scores.")
    assert table.evidence == (
        "As Table 3 shows, ours has 84.3 points.",
        "The other has 82.2.",
        "See Tables 2-4.",
    )
    assert table.html == (
        "<table><tr><th>Model</th><th>Score</th></tr>"
        "<tr><td>Ours</td><td>84.3</td></tr><tr><td>Other</td><td>82.2</td></tr></table>"
    )
    assert of_paper(table).text == f"Table 3: Scores.\n\n{table.html}"


@pytest.mark.parametrize(
    ("named", "is_evidence"),
    [
        ("Tab. 3 has it.", True),
        ("See Tables 1, 2 and 3.", True),
        ("Table 3a has it.", True),
        ("See Tables 2–5.", True),
        ("See Table 30.", False),
        ("See Table 2 and Section 3.", False),
        ("It has 3 tables.", False),
    ],
)
def test_a_passage_names_a_table_by_its_number(named: str, is_evidence: bool) -> None:
    tables, rejects = of_papers(f"{named}\n\n{CAPTION}\n{GRID}")
    assert [table.evidence for table in tables] == ([(named,)] if is_evidence else [])
    assert rejects == ([] if is_evidence else [NOT_NAMED])


@pytest.mark.parametrize(
    "beside",
    [
        f"**Table 3.** Scores.\n\n{GRID}",
        f"{GRID}\nTable 3 – Scores\n",
        f"{GRID}Table 3: Scores\n",
        f"#### TABLE 3: Scores\n\n{GRID}",
        f"> {CAPTION}>\n> " + GRID.replace("\n", "\n> "),
    ],
)
def test_a_caption_stands_before_or_after_its_table(beside: str) -> None:
    ((table,), rejects) = of_papers(f"{TEXT}\n{beside}")
    assert (table.number, rejects) == ("3", [])


def test_a_caption_between_two_tables_is_that_of_the_one_without_another() -> None:
    first, second = GRID, GRID.replace("84.3", "91.7")
    named = "See Tables 3 and 4.\n\n"
    four = "Table 4: More.\n"
    before, _ = of_papers(f"{named}{CAPTION}\n{first}\n{four}\n{second}")
    after, _ = of_papers(f"{named}{first}\n{CAPTION}\n{second}\n{four}")
    for tables in (before, after):
        assert [(table.number, "91.7" in table.html) for table in tables] == [
            ("3", False),
            ("4", True),
        ]
    assert of_papers(f"{named}{first}\n{CAPTION}\n{second}") == ([], [TWO_CAPTIONS] * 2)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("Only words about Table 3.", [NO_TABLE]),
        (f"{TEXT}\n{GRID}", [NO_CAPTION]),
        (f"{TEXT}\nTable 3 shows scores.\n\n{GRID}", [NO_CAPTION]),
        (f"{CAPTION}\n{GRID}\nNobody names it.", [NOT_NAMED]),
        (f"{TEXT}\n{CAPTION}\n| A | B |\n|---|---|---|\n| 1 | 2 |", [BROKEN]),
        (f"{TEXT}\n{CAPTION}\n| A | B |\n| 1 | 2 |\n| 3 | 4 |", [BROKEN]),
        (f"{TEXT}\n{CAPTION}\n| A | B |\n|---|---|\n| 1 | 2 | 3 |", [BROKEN]),
        (f"{TEXT}\n{CAPTION}\n| A |\n|---|\n| 1 |\n", [TOO_SMALL]),
        (f"{TEXT}\n{CAPTION}\n| A | B |\n|---|---|\n", [TOO_SMALL]),
        (f"{TEXT}\n{CAPTION}\n| A | B |\n|---|---|\n| a | ![](b.png) |", [TOO_SMALL]),
        (f"{TEXT}\n{CAPTION}\n<table><tr><td>1</td></tr></table>", [NOT_MARKDOWN]),
        (f"{TEXT}\n{CAPTION}\n\\begin{{tabular}}1 & 2\\end{{tabular}}", [NOT_MARKDOWN]),
        # the caption is that of a table that cannot be read, not of the one behind it
        (f"{TEXT}\n| A |\n| 1 |\n\n{CAPTION}\n{GRID}", [BROKEN, TWO_CAPTIONS]),
        (f"{TEXT}\n{CAPTION}\n{GRID}\nAgain:\n\n{CAPTION}\n{GRID}", [SAME_NUMBER] * 2),
    ],
)
def test_other_tables_and_papers_are_rejects(text: str, reasons: list[str]) -> None:
    assert of_papers(text) == ([], reasons)


def test_a_folder_is_read_paper_by_paper(tmp_path: Path) -> None:
    assert [row.reason for row in read_papers(tmp_path)] == [NO_PAPER]  # type: ignore[union-attr]
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "good.md").write_text(PAPER, encoding="utf-8")
    (tmp_path / "bad.MD").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.txt").write_text(PAPER, encoding="utf-8")
    bad, good = read_papers(tmp_path)
    assert isinstance(bad, Reject)
    assert (bad.parent_id, bad.reason) == ("bad.MD", NOT_TEXT)
    assert isinstance(good, PaperTable)
    assert good.paper == "below/good.md"
    (alone,) = read_papers(tmp_path / "below" / "good.md")
    assert isinstance(alone, PaperTable)


# --- filings ---------------------------------------------------------------------------------


def report(*blocks: str) -> ParsedFiling:
    """A report whose Item 7 has these blocks."""
    body = "".join(block if block.startswith("<") else f"<p>{block}</p>" for block in blocks)
    prose = "<p>The mills of the company ran at full load for most of the year.</p>" * 6
    html = f"""<html><body><p>WEXCOMBE MILLS, INC.</p><p>FORM 10-K</p>
<p>ANNUAL REPORT PURSUANT TO SECTION 13 for the fiscal year ended December 31, 2023</p>
<p>Item 1. Business</p><p>Wool sales were $4,123 thousand, as Item 1 says here.</p>{prose}
<p>Item 7. Management's Discussion and Analysis of Financial Condition and Results of Operations
</p>{body}
<p>Item 8. Financial Statements and Supplementary Data</p><p>The statements follow.</p>
</body></html>"""
    return parse_filing(html.encode(), "wexcombe.htm")


def cells(*rows: tuple[str, ...]) -> str:
    inside = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
    return f"<table>{inside}</table>"


SALES = cells(
    ("(in thousands)", "2023", "2022"), ("Wool sales", "4,123", "3,900"), ("Dyes", "612", "614")
)
LEAD_IN = "The next table has sales, of which dyes were 612 this year."
QUOTED = (
    "Demand for wool sales in the north was high.",  # a label
    "We sold cloth for $4.123 million to new customers.",  # a value at another scale
)
UNQUOTED = (
    "Dyes were sold to the same customers as before.",  # one word names much
    "In 2022 the company opened a mill in Tarn.",  # a year
    "Wool sales grew",  # a heading
    "Wool sales rose.",  # too short to explain
)


def test_a_filings_table_has_the_sentences_of_its_discussion_that_quote_it() -> None:
    parsed = report(*QUOTED, LEAD_IN, SALES, *UNQUOTED)
    (table,) = of_document(parsed.document, parsed.tables)
    assert table.evidence == QUOTED
    assert table.text.startswith(f"{LEAD_IN}\n\n<table>")
    assert table.source == parsed.document.document_id


def test_only_the_nearest_sentences_of_a_filing_count() -> None:
    far = [f"Wool sales of mill {place} were as high as ever." for place in range(40)]
    parsed = report(*far, "The table follows.", SALES)
    (table,) = of_document(parsed.document, parsed.tables)
    assert table.evidence == tuple(far[-24:])


def test_each_sample_has_tables_that_its_discussion_explains() -> None:
    for file in sorted(sample_folder().glob("*.*m*")):
        if file.suffix == ".md":
            continue
        parsed = parse_filing(file.read_bytes(), file.name)
        text = " ".join(parsed.document.text.split())
        found = list(of_document(parsed.document, parsed.tables))
        assert found, file.name
        assert all(said in text for table in found for said in table.evidence)
        assert not any(said in table.text for table in found for said in table.evidence)


# --- recall ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "sentence", "n_tokens", "n_shared"),
    [
        # $ | 4,123 | thousand, of which the sentence has two
        ("$4,123 thousand", "Sales were $4,123.", 3, 2),
        ("$4,123 thousand", "Sales were 4123 thousand.", 3, 1),
        # Sales | rose | . | Costs | fell | . : a full stop ends each sentence
        ("Sales rose. Costs fell.", "Costs fell.", 6, 3),
        # the | cat | and | the | dog: the sentence has one `the`
        ("the cat and the dog", "the dog", 5, 2),
        ("Rose", "Sales rose", 1, 0),  # in their case
        ("12.4%", "It was 12.4% of sales.", 2, 2),
    ],
)
def test_recall_counts_the_tokens_that_both_texts_have(
    answer: str, sentence: str, n_tokens: int, n_shared: int
) -> None:
    assert shared_tokens(answer, sentence) == (n_tokens, n_shared)
    assert shared_tokens(answer, answer) == (n_tokens, n_tokens)


# --- the study -------------------------------------------------------------------------------

CITED = "As Table 3 shows, ours has 84.3 points."


def tables(n: int) -> list[Explained]:
    return [
        Explained(f"t{place}", f"paper {place}", f"Table {place}\n\n<table></table>", (CITED, "B."))
        for place in range(n)
    ]


def model(
    write: Callable[[dict[str, str]], Any] = lambda inputs: {
        "question": f"How {inputs['level']}?",
        "sentence": CITED,
    },
    answer: Callable[[dict[str, str]], Any] = lambda _: {"steps": "", "answer": "84.3 points"},
) -> Scripted:
    def reply(operation: str, inputs: dict[str, str]) -> str:
        found = (write if operation == "write_recall_question" else answer)(inputs)
        return found if isinstance(found, str) else json.dumps(found)

    return Scripted(by_operation(reply))


def rows_of(engine: Scripted, n: int = 1, wanted: int = 1) -> list[RecallAnswer | Reject]:
    return list(study(tables(n), engine, wanted))


def test_each_level_is_asked_and_its_answer_compared_with_the_cited_sentence() -> None:
    engine = model()
    rows = rows_of(engine)
    assert [row.level for row in rows if isinstance(row, RecallAnswer)] == [
        "easy",
        "medium",
        "hard",
    ]
    first = rows[0]
    assert isinstance(first, RecallAnswer)
    assert (first.table_id, first.source, first.query) == ("t0", "paper 0", "How easy?")
    assert (first.grounding, first.answer) == (CITED, "84.3 points")
    assert (first.n_tokens, first.n_shared, first.recall) == (2, 2, 1.0)
    asked = {call.request.request_id: call.request.operation for call in engine.calls}
    assert asked[first.request_id] == "write_recall_question"
    assert asked[first.answer_request_id] == "recall_answer"


def test_who_answers_is_not_shown_the_evidence() -> None:
    def blind(call: Call) -> bool:
        return call.request.operation == "recall_answer"

    engine = model()
    rows_of(engine)
    assert all((CITED in call.prompt) is not blind(call) for call in engine.calls)
    assert Counter(map(blind, engine.calls)) == {False: 3, True: 3}
    assert len({call.prefix.prefix_id for call in engine.calls if not blind(call)}) == 1


@pytest.mark.parametrize(
    ("sentence", "is_kept"),
    [
        (CITED, True),
        ("  As Table 3 shows,\n ours has 84.3   points. ", True),
        ("As Table 3 shows, ours has 84.4 points.", False),
        ("ours has 84.3 points.", False),
        (f"{CITED} B.", False),
        ("as table 3 shows, ours has 84.3 points.", False),
    ],
)
def test_a_citation_that_is_no_sentence_of_the_evidence_is_a_reject(
    sentence: str, is_kept: bool
) -> None:
    rows = rows_of(model(lambda _: {"question": "How many?", "sentence": sentence}))
    assert {type(row) for row in rows} == {RecallAnswer if is_kept else Reject}
    if not is_kept:
        assert {row.reason for row in rows if isinstance(row, Reject)} == {NOT_IN_EVIDENCE}


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (model(lambda _: {"question": "", "sentence": ""}), NOTHING_TO_ASK),
        (model(lambda _: "I cannot."), NOT_WRITTEN),
        (model(lambda _: {"question": "How many?", "sentence": ""}), NOT_WRITTEN),
        (model(answer=lambda _: {"steps": "none", "answer": "No answer."}), NO_ANSWER),
        (model(answer=lambda _: "I cannot."), NOT_ANSWERED),
    ],
)
def test_nothing_disappears(engine: Scripted, reason: str) -> None:
    rows = rows_of(engine, n=2)
    assert [row.reason for row in rows if isinstance(row, Reject)] == [reason] * 6
    assert len({row.reject_id for row in rows if isinstance(row, Reject)}) == 6


def test_other_tables_are_asked_for_until_each_level_has_enough() -> None:
    def write(inputs: dict[str, str]) -> Any:
        is_bad = inputs["level"] == "hard" and inputs["tables"].startswith("Table 0")
        return {"question": "How many?", "sentence": "none" if is_bad else CITED}

    rows = rows_of(model(write), n=9, wanted=2)
    kept = [(row.level, row.table_id) for row in rows if isinstance(row, RecallAnswer)]
    assert sorted(kept) == [
        ("easy", "t0"),
        ("easy", "t1"),
        ("hard", "t1"),
        ("hard", "t2"),
        ("medium", "t0"),
        ("medium", "t1"),
    ]
    assert [row.parent_id for row in rows if isinstance(row, Reject)] == ["t0"]


# --- the step --------------------------------------------------------------------------------


def built(options: TableQuestOptions, *rows: Any, seed: int = 0) -> list[Any]:
    """What the step makes of these rows, with a model that cites the first sentence."""

    def write(inputs: dict[str, str]) -> Any:
        return {"question": "What is it?", "sentence": inputs["evidence"].split("\n")[0]}

    def parts(*kinds: type) -> Iterator[tuple[list[Any], ...]]:
        yield tuple([row for row in rows if isinstance(row, kind)] for kind in kinds)

    inputs = StepInputs(
        suite="tablequest",
        shard=(),
        rows=lambda kind, only=None: [row for row in rows if isinstance(row, kind)],
        parts=parts,
        engines={"generator": [model(write)]},
        options=options,
        seed=seed,
        encoding="cl100k_base",
    )
    return list(STEP.run(inputs))


def of_filings(*filings: ParsedFiling) -> list[Document | FilingTable]:
    return [row for parsed in filings for row in (parsed.document, *parsed.tables)]


def test_no_study_is_made_unless_a_number_of_questions_is_named() -> None:
    rows = of_filings(report(*QUOTED, SALES))
    assert built(TableQuestOptions(), *rows) == []
    assert STEP.may_be_empty


def test_filings_are_studied_unless_there_are_papers() -> None:
    options = TableQuestOptions(recall=1)
    filing, paper = of_filings(report(*QUOTED, SALES)), list(read_paper("a.md", PAPER))
    assert {row.grounding for row in built(options, *filing)} == {QUOTED[0]}
    assert {row.source for row in built(options, *filing, *paper)} == {"a.md"}


def test_a_filing_whose_discussion_quotes_no_table_is_a_reject() -> None:
    (reject,) = built(TableQuestOptions(recall=1), *of_filings(report(SALES)))
    assert (reject.reason, reject.stage) == (NOT_EXPLAINED, "recall")


def test_papers_take_turns_in_an_order_by_the_seed() -> None:
    many = [
        row
        for name in "abcdef"
        for row in read_paper(name, f"{PAPER}\n{PAPER.replace('Table 3', 'Table 4')}")
    ]
    orders = set()
    for seed in range(4):
        rows = built(TableQuestOptions(recall=6), *many, seed=seed)
        asked = [row.source for row in rows if row.level == "easy"]
        assert sorted(asked) == [*"abcdef"]
        assert rows == built(TableQuestOptions(recall=6), *reversed(many), seed=seed)
        orders.add(tuple(asked))
    assert len(orders) > 1


def test_papers_without_a_study_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="add --recall"):
        TableQuestOptions(papers=tmp_path)
    assert TableQuestOptions(recall=700, papers=tmp_path).papers == tmp_path


# --- table 4 ---------------------------------------------------------------------------------


def test_table_4_by_hand() -> None:
    (row,) = (row for row in rows_of(model()) if row.level == "easy")  # type: ignore[union-attr]
    given = [(4, 0.5), (5, 1.0), (9, 0.0), (20, 0.25), (31, 0.75)]
    schema = arrow_schema(RecallAnswer)
    held = pa.Table.from_pylist(  # noqa: F841 read by name
        [
            {
                **to_record(row),
                "n_tokens": n,
                "recall": recall,
                "release": release,
                "suite": "tablequest",
            }
            for release, some in (("dev", given), ("other", given[:1]))
            for n, recall in some
        ],
        pa.schema([*schema, pa.field("release", pa.string()), pa.field("suite", pa.string())]),
    )
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema tablequest")
    connection.execute("create table raw.recall_answers as from held")
    connection.execute(
        "create table tablequest.published_recall "
        "(answer_tokens varchar, share double, recall double);"
        "insert into tablequest.published_recall values ('0-5', 0.267, 0.704), "
        "('5-10', 0.15, 0.788), ('10-15', 0.193, 0.816), ('15-20', 0.158, 0.782), "
        "('20+', 0.232, 0.642), ('all', 1.0, 0.736)"
    )
    source = (files("sql") / "tablequest" / "recall.sql").read_text(encoding="utf-8")
    found = [each[1:] for each in connection.execute(source).fetchall() if each[0] == "dev"]
    assert found == [
        ("0-5", 1, 0.2, 0.5, 0.267, 0.704),
        ("5-10", 2, 0.4, 0.5, 0.15, 0.788),
        ("10-15", 0, 0.0, None, 0.193, 0.816),
        ("15-20", 0, 0.0, None, 0.158, 0.782),
        ("20+", 2, 0.4, 0.5, 0.232, 0.642),
        ("all", 5, 1.0, 0.5, 1.0, 0.736),
    ]
