"""The evidence for a masked figure in words: cells by row and column name, votes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.rows import Context
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import fill

SHEETS = """### Table 0: Sales by segment (in millions):
,"Year ended December 31,",Change,Year ended
,2017,,2016
Net sales:,,,
Europe,"1,234",8%,900
Asia,55,,50"""


@pytest.fixture
def masked(lake, answered, bought):
    """A masked figure whose proof reads a cell of each of two years."""
    fill(lake, answered, bought)
    add_masked(lake)
    (context,) = (row for row in lake.of(Context) if row.context_id == "tables")
    lake.swap(context, replace(context, text=SHEETS))
    (derivation,) = lake.of(Derivation)
    operands = (
        Operand(table_index=0, row=3, column=1, text="1,234", value="1234"),
        Operand(table_index=0, row=3, column=3, text="900", value="900"),
    )
    lake.swap(
        derivation, replace(derivation, operation="difference", operands=operands, value="334")
    )
    return lake


def said(asked, heading: str) -> list[str]:
    found = asked(f"select said from suites.evidence where heading = '{heading}' order by place")
    return [line for (line,) in found]


def test_cells_are_told_by_the_names_of_their_row_and_column(masked, asked) -> None:
    assert said(asked, "Proof") == [
        "difference (direct lookup) gives 334; score 0.90 of 1: how well the passage names "
        "these cells; tables are numbered from 0, as models see them",
        (
            'table 0, "Europe", "Year ended December 31, '
            '2017": "1,234", which is 1234 (row 4, column 2)'
        ),
        'table 0, "Europe", "Year ended 2016": "900", which is 900 (row 4, column 4)',
    ]


def test_a_quotient_is_cut(masked, asked) -> None:
    (derivation,) = masked.of(Derivation)
    value = "40.2608695652173913"
    masked.swap(derivation, replace(derivation, operation="percent_change", value=value))
    assert said(asked, "Proof")[0].startswith(
        "percent change (direct lookup) gives 40.260869…; score"
    )


def test_a_table_without_names_is_told_by_numbers(masked, asked) -> None:
    (context,) = (row for row in masked.of(Context) if row.context_id == "tables")
    masked.swap(
        context, replace(context, text='### Table 0: \n1,2,3,4\n5,6,7,8\n9,1,2,3\n1,"1,234",5,900')
    )
    assert (
        said(asked, "Proof")[1] == 'table 0, row 4, "2": "1,234", which is 1234 (row 4, column 2)'
    )


def test_votes_are_told_model_by_model(masked, asked) -> None:
    assert said(asked, "Votes") == [
        f"{name}: the tables give the figure" for name in ("one", "three", "two")
    ]
