"""Reports on FAITH's figures and wrong answers, and what else a reader must know."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Context, Filing, Judgement
from tasks.suites.faith.rows import Derivation, Vote
from tasks.suites.shared.tables.operand import Operand
from tests.sql.sound_lake import add_masked, fill

TABLES = """### Table 0: (in millions)
,2024,2023,Segment A
Sales,426.4,380.2,91.5
Costs,300.1,290.7,80.2
Profit,(12.5),89.5,11.3

### Table 1: (in thousands)
,2024
Taxes,777"""
SALES = (1, "426.4", "426400000")  # row, text, value


@pytest.fixture
def masked(lake):
    """Two figures of one filing: one asked for, with a proof and a panel's votes; one bare."""
    fill(lake)
    add_masked(lake)
    return lake


@pytest.fixture
def tables(masked):
    """The same with two tables of some rows."""
    masked.change(masked.only(Context, context_id="tables"), text=TABLES)
    return masked


def put_proof(lake, operation: str, cells: list[tuple[int, str, str]], value: str) -> None:
    """Prove the figure that is asked for by other cells."""
    operands = tuple(
        Operand(table_index=0, row=row, column=1 + place, text=text, value=number)
        for place, (row, text, number) in enumerate(cells)
    )
    lake.change(lake.only(Derivation), operation=operation, operands=operands, value=value)


def add_answer(
    lake, model: str = "m", label: str = "wrong", rationale: str | None = None, **details: object
) -> None:
    """Add an answer to the figure that is asked for."""
    case = lake.only(Case, qa_pair_id="masked")
    row = Judgement(
        judgement_id=f"of {model}",
        request_id=f"of {model}",
        case_id=case.case_id,
        model=model,
        judge="strict",
        label=label,
        rationale=rationale,
        details=json.dumps({"answer": "said", **details}) if details else None,
    )
    lake.add(row, suite="faith")


CHANGE = ("percent_change", [SALES, (1, "380.2", "380200000")], "12.15")
LOOKUP = ("lookup", [SALES], "426400000")


@pytest.mark.parametrize(
    ("proof", "expected", "wrong"),
    [
        (
            LOOKUP,
            "426400000",
            [
                ("-426400000", -5, {}, "sign"),
                ("426.38", 2, {"rationale": "another unit"}, "scale"),
                ("426400000", -5, {"rationale": "another currency"}, "unit"),
                ("426000000", -6, {}, "rounding"),
                ("426500000", -5, {}, "rounding"),
                ("500000000", -8, {"is_written": True}, "label"),
                ("5", 1, {"is_written": True, "rationale": "the truth is not read"}, "unreadable"),
                ("380200000", -5, {}, "period"),
                ("23.4", 1, {"expected": "23.8", "expected_decimals": 1}, "calculation"),
                (None, None, {}, "no number"),
            ],
        ),
        (CHANGE, "12", [("46200000", -5, {}, "operation"), ("426400000", -5, {}, "operation")]),
        (None, "12500000", [("12500000", -5, {}, "unit"), ("89500000", -5, {}, "period")]),
        (None, "555", [("5", 0, {}, "copied"), ("89500000", -5, {}, "line")]),
    ],
)
def test_a_wrong_answer_is_told_by_the_first_thing_that_fits(
    tables, asked, proof, expected, wrong
) -> None:
    if proof is None:
        tables.drop(tables.only(Derivation))
    else:
        put_proof(tables, *proof)
    tables.change(tables.only(Case, qa_pair_id="masked"), query="Sales rose\nto [MASK] in 5 years.")
    for number, (value, decimals, more, _) in enumerate(wrong):
        figure = {"expected": expected, "expected_decimals": -5 if expected.endswith("00") else 0}
        add_answer(tables, f"m{number}", value=value, decimals=decimals, **(figure | more))
    kinds = [(f"m{number}", error) for number, (*_, error) in enumerate(wrong)]
    assert asked("select model, error from faith.wrong_answers order by model") == kinds
    counts = asked("select model, error, n, share from faith.errors order by model")
    assert counts == [(*kind, 1, 1.0) for kind in kinds]


def test_an_unreadable_reply_is_an_error_of_its_own(tables, asked) -> None:
    put_proof(tables, *LOOKUP)
    add_answer(tables, label="unreadable")
    assert asked("select error, n, example_answer from faith.errors") == [("unreadable", 1, None)]


def test_the_dataset_is_counted_beside_the_papers(tables, asked) -> None:
    found = asked("select split, n_companies, tables, n_sentences, n_figures from faith.dataset")
    assert found == [
        ("this release", 1, 2.0, 1, 1),
        ("paper, pilot", 9, 14.9, 164, 300),
        ("paper, main", 453, 19.2, 1122, 2406),
    ]


def test_the_scenarios_that_a_model_names_are_counted_over_its_correct_answers(
    tables, asked
) -> None:
    put_proof(tables, *LOOKUP)
    add_answer(tables, label="correct", scenario="B: comparative")
    found = asked("select model, reported, n_correct, share from faith.reported_scenarios")
    assert found == [("m", "comparative", 1, 1.0)]


def test_figures_are_counted_by_what_becomes_of_them(masked, asked) -> None:
    found = asked(
        "select slice_by, slice_value, n_figures, n_searched, n_proved, n_asked, "
        "n_asked_proved, n_asked_voted from faith.instances"
    )
    assert found == [
        ("overall", "all", 2, 2, 1, 1, 1, 1),
        ("scenario", "direct lookup", 1, 1, 1, 1, 1, 1),
        ("unit", "count", 1, 1, 0, 0, 0, 0),
        ("unit", "money", 1, 1, 1, 1, 1, 1),
    ]


def test_a_filing_without_questions_is_told_of(masked, asked) -> None:
    of_filings = "select says, query from faith.remarks where says like '%filing%'"
    assert asked(of_filings) == []
    masked.add(replace(masked.only(Filing), filing_id="other", company="Other"), suite=None)
    ((says, query),) = asked(of_filings)
    assert says == "No question comes from 1 of 2 filings: all figures rest on the others."
    rows = asked(query.replace("from", "select suite, company, reason from", 1))
    assert rows == [("faith", "Other", None)]


@pytest.mark.parametrize(
    ("strict", "differs_by", "words"),
    [
        ("correct", None, None),
        ("the opposite sign", "sign", "1 published answers differ from their sentence: 0 state"),
        ("another number", "figure", "1 published answers differ from their sentence: 1 state"),
    ],
)
def test_labels_say_by_what_published_answers_differ(
    masked, asked, strict: str, differs_by: str | None, words: str | None
) -> None:
    masked.change(masked.only(Filing), form="dataset")
    details = {"as_written": {"strict": strict, "official": "correct"}}
    masked.change(masked.only(Case, suite="faith"), details=json.dumps(details))
    labels = asked("select differs_by from faith.labels")
    assert labels == ([(differs_by,)] if differs_by else [])
    remarks = asked("select says, query from faith.remarks where says like '%published answers%'")
    assert [says.startswith(words) for says, _ in remarks] == ([True] if words else [])
    assert [len(asked(query)) for _, query in remarks] == ([1] if words else [])


def test_a_voter_that_cannot_be_read_is_named(masked, asked) -> None:
    about_votes = "select says from faith.remarks where query = 'from raw.votes'"
    says = (
        "{} of the panel votes that the tables give {} figures and do not give {}; "
        "{} votes could not be read"
    )
    assert asked(about_votes) == [
        (says.format(name, 1, 0, 0) + ".",) for name in ("one", "three", "two")
    ]
    unread = {"is_answerable": None, "unread_reason": "the reply has no JSON object"}
    masked.change(masked.only(Vote, model="one"), **unread)
    masked.change(masked.only(Vote, model="two"), is_answerable=False)
    assert asked(about_votes) == [
        (says.format("one", 0, 0, 1) + ", so the panel vouches for no figure.",),
        (says.format("three", 1, 0, 0) + ".",),
        (says.format("two", 0, 1, 0) + ".",),
    ]
