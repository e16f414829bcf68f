"""FAITH's rules restore figures without seeing them."""

from __future__ import annotations

import pytest

from tasks.baseline.faith import reply_on_mask
from tasks.suites.faith import answer
from tasks.suites.faith.answer import NEITHER, PERCENTAGE, POINTS, form_of, parse
from tasks.suites.shared.tables.sheets import Sheet, read_sheets, write_sheets

TABLES = write_sheets(
    [
        Sheet(
            index=0,
            pre_text="Sales by product (in millions):",
            cells=(
                ("", "2023", "2022"),
                ("Pump sales", "$426.4", "$380.2"),
                ("Valve sales", "213.6", "219.9"),
            ),
        )
    ]
)
PASSAGE = "Pump sales were [MASK] in 2023."


def test_answers_in_the_form_of_a_models_reply() -> None:
    restored = parse(reply_on_mask(answer.MaskedInputs(TABLES, NEITHER, PASSAGE)))
    assert restored.answer == "$426.4 million"
    assert restored.scenario == "A"


def test_reader_sees_only_the_prompts_inputs() -> None:
    """The same prompt gets the same answer, whatever the truth is."""
    replies = {
        reply_on_mask(answer.MaskedInputs(TABLES, form_of(truth), PASSAGE))
        for truth in ("$426.4 million", "$1", "$380.2 million", "7")
    }
    assert len(replies) == 1


@pytest.mark.parametrize(
    ("passage", "form", "written"),
    [
        ("Pump sales increased [MASK] in 2023.", PERCENTAGE, "12.15%"),
        ("Gross margin increased [MASK] in 2023.", POINTS, "1.5 percentage points"),
        ("Net income per share was [MASK] in 2023.", NEITHER, "$6.86"),
        ("Equivalent production was [MASK] in 2023.", NEITHER, "55.5 MMBOE"),
    ],
)
def test_writes_a_value_as_precisely_as_its_cells(passage: str, form: str, written: str) -> None:
    results = Sheet(
        index=1,
        pre_text="Results:",
        cells=(
            ("", "2023", "2022"),
            ("Gross margin", "41.3%", "39.8%"),
            ("Net income per share", "$6.86", "$8.96"),
        ),
    )
    counts = Sheet(
        index=2, pre_text="", cells=(("", "2023"), ("Equivalent production (MMBOE)", "55.5"))
    )
    tables = write_sheets([*read_sheets(TABLES), results, counts])
    assert parse(reply_on_mask(answer.MaskedInputs(tables, form, passage))).answer == written
