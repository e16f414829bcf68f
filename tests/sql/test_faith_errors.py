"""What is wrong with FAITH's wrong answers, beside the proof of the figure."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Context, Judgement
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import fill

TABLES = """### Table 0: (in millions)
,2024,2023,Segment A
Sales,426.4,380.2,91.5
Costs,300.1,290.7,80.2
Profit,(12.5),89.5,11.3

### Table 1: (in thousands)
,2024
Taxes,777"""
SALES = (1, 1, "426.4")
LOSS = (3, 1, "-12.5")
PROOFS = {
    "lookup": ("lookup", [SALES], "426400000"),
    "fall": ("lookup", [LOSS], "-12500000"),
}


@pytest.fixture
def masked(lake, answered, bought):
    """One figure that is asked for, of two tables."""
    fill(lake, answered, bought)
    add_masked(lake)
    for row in lake.of(Context):
        if row.context_id == "tables":
            lake.swap(row, replace(row, text=TABLES))
    return lake


def put_proof(lake, proof: str | None) -> None:
    """Put another proof of the figure that is asked for in its place, or none."""
    (derivation,) = lake.of(Derivation)
    if proof is None:
        lake.drop(derivation)
    else:
        operation, cells, result = PROOFS[proof]
        operands = tuple(
            Operand(
                table_index=0,
                row=row,
                column=column,
                text=text,
                value=f"{float(text) * 1e6:.0f}",
            )
            for row, column, text in cells
        )
        lake.swap(
            derivation,
            replace(derivation, operation=operation, operands=operands, value=result),
        )


def add_answer(lake, value: str | None, decimals: int | None, model: str = "m") -> None:
    """Add a wrong answer to the figure that is asked for."""
    (case,) = (row for row in lake.of(Case) if row.qa_pair_id == "masked")
    lake.add(
        Judgement(
            judgement_id=f"wrong {model}",
            request_id=f"wrong {model}",
            case_id=case.case_id,
            model=model,
            judge="strict",
            label="wrong",
            details=json.dumps({"answer": "said", "value": value, "decimals": decimals}),
        ),
        suite="faith",
    )


@pytest.mark.parametrize(
    ("proof", "wrong"),
    [
        (
            "lookup",
            [
                ("-426400000", -5, "sign"),
                ("426400", -2, "scale"),
                ("426.4", 1, "scale"),
                ("380200000", -5, "elsewhere"),
                ("777000", -3, "elsewhere"),
                ("123400000", -5, "in no table"),
                (None, None, "no number"),
            ],
        ),
        (None, [("5", 0, "no proof")]),
        ("fall", [("12500000", -5, "rounding"), ("-12500000", -5, "sign")]),
    ],
)
def test_a_wrong_answer_is_told_by_the_first_thing_that_fits(
    masked, asked, proof: str | None, wrong: list[tuple[str | None, int | None, str]]
) -> None:
    put_proof(masked, proof)
    for number, (value, decimals, _) in enumerate(wrong):
        add_answer(masked, value, decimals, f"m{number}")
    expected = [(f"m{number}", error) for number, (_, _, error) in enumerate(wrong)]
    assert asked("select model, error from faith.wrong_answers order by model") == expected
    assert asked("select model, error, n, share from faith.errors order by model") == [
        (*each, 1, 1.0) for each in expected
    ]


def test_an_unreadable_reply_is_an_error_of_its_own(masked, asked) -> None:
    put_proof(masked, "lookup")
    add_answer(masked, None, None)
    (row,) = (row for row in masked.of(Judgement) if row.judgement_id == "wrong m")
    masked.swap(row, replace(row, label="unreadable", details=None))
    assert asked("select error, n, example_answer from faith.errors") == [("unreadable", 1, None)]


def test_the_dataset_is_counted_beside_the_papers(masked, asked) -> None:
    found = asked("select split, n_companies, tables, n_sentences, n_figures from faith.dataset")
    assert found == [
        ("this release", 1, 2.0, 1, 1),
        ("paper, pilot", 9, 14.9, 164, 300),
        ("paper, main", 453, 19.2, 1122, 2406),
    ]


def test_the_scenarios_that_a_model_names_are_counted_over_its_correct_answers(
    masked, asked
) -> None:
    put_proof(masked, "lookup")
    add_answer(masked, "5", 0)
    (row,) = (row for row in masked.of(Judgement) if row.judgement_id == "wrong m")
    said = json.dumps({"answer": "5¢", "scenario": "B: comparative"})
    masked.swap(row, replace(row, label="correct", details=said))
    found = asked("select model, reported, n_correct, share from faith.reported_scenarios")
    assert found == [("m", "comparative", 1, 1.0)]
