"""Derivations computed again in SQL: sound ones pass, and each kind of fault is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import duckdb
import pytest

from tasks.core.rows import Context
from tasks.quantities.units import packaged_units
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.evaluate import OPERATIONS
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet, read_sheets, write_sheets
from tests.some import some
from tests.sql.masked_lake import masked_span

# the cell before, a cell, and its number with its sign
SIGNED = [
    ("", "1,234.5", 1234.5),
    ("Loss", "(1,234)", -1234),
    ("", "$(12", -12),
    ("", "– 3%", -3),
    ("", "down 4%", -4),
    ("", "824 (1)", 824),
    ("", ".5", 0.5),
    ("$ (", "12", -12),
    ("(", "12", -12),
    ("Loss (gain)", "12", 12),
]
SALES = Sheet(
    index=0,
    pre_text="Sales by product (in millions)",
    cells=(
        ("", "2024", "2023"),
        ("Pumps", "$426.4", "$380.2"),
        ("Valves", "214.0 (1)", "220.0"),
        ("Total", "1,280.8", "1,200.4"),
        ("Tax rate", "7.25%", "7.00%"),
        ("Loss", "(12.5)", "$(", "14.0"),
        ("Dividend", "5¢", "25 bps"),
        *((before, cell) for before, cell, _ in SIGNED),
    ),
)
PUMPS, PUMPS_BEFORE = (1, 1, "426400000"), (1, 2, "380200000")
VALVES, VALVES_BEFORE = (2, 1, "214000000"), (2, 2, "220000000")
TOTAL = (3, 1, "1280800000")
RATE, RATE_BEFORE = (4, 1, "7.25"), (4, 2, "7.00")

NO_CELL = "the value of a cell is not its number at a scale that the tables name"
NO_OPERATION = "its operation is not known, or its cells do not fit it"
OTHER_VALUE = "its operation gives another value"
NO_FIGURE = "its value is not the figure"


@dataclass(frozen=True)
class Stored:
    """A derivation as it might be stored, and its fault.

    `cells` are row, column and value; `text` poses as the first cell's.
    """

    figure: str
    operation: str
    cells: tuple[tuple[int, int, str], ...]
    value: str
    fault: str | None = None
    text: str | None = None
    truth: str | None = None  # of a published instance


SOUND = [
    Stored("$426.4 million", "lookup", (PUMPS,), "426400000"),
    Stored("$0.4 billion", "lookup", (PUMPS,), "426400000"),
    Stored("$12.5 million", "lookup", ((5, 1, "-12500000"),), "-12500000"),
    Stored("$14.0 million", "lookup", ((5, 3, "-14000000"),), "-14000000"),
    Stored("five cents", "lookup", ((6, 1, "0.05"),), "0.05"),
    Stored("0.25%", "lookup", ((6, 2, "0.25"),), "0.25"),
    Stored("$46.2 million", "difference", (PUMPS, PUMPS_BEFORE), "46200000"),
    Stored("$46.2 million", "difference", (PUMPS_BEFORE, PUMPS), "-46200000"),
    Stored("12%", "percent_change", (PUMPS, PUMPS_BEFORE), "12.1514992109416"),
    Stored("0.25 percentage points", "point_difference", (RATE, RATE_BEFORE), "0.25"),
    Stored("25 basis points", "basis_points", (RATE, RATE_BEFORE), "25.00"),
    Stored("33.3 percent", "share", (PUMPS, TOTAL), "33.2916926920675"),
    Stored("$403.3 million", "average", (PUMPS, PUMPS_BEFORE), "403300000"),
    Stored("$640.4 million", "sum", (PUMPS, VALVES), "640400000"),
    Stored(
        "$40.2 million",
        "difference_of_sums",
        (PUMPS, VALVES, PUMPS_BEFORE, VALVES_BEFORE),
        "40200000",
    ),
    Stored(
        "6.7%",
        "percent_change_of_sums",
        (PUMPS, VALVES, PUMPS_BEFORE, VALVES_BEFORE),
        "6.69776741086305",
    ),
    # of published instances: the scale beside the mask, the stated truth, the truth as a ratio
    Stored("426.4", "lookup", (PUMPS,), "426400000", truth="$400 million"),
    Stored("$400 million", "lookup", (PUMPS,), "426400000", truth="$426.4 million"),
    Stored("30%", "share", (PUMPS, TOTAL), "33.2916926920675", truth="0.33292"),
]
FAULTY = [
    Stored("$426.4 million", "lookup", (PUMPS,), "426400001", OTHER_VALUE),
    Stored("$46.2 million", "difference", (PUMPS, PUMPS_BEFORE), "46200001", OTHER_VALUE),
    Stored("$426.5 million", "lookup", (PUMPS,), "426400000", NO_FIGURE),
    Stored("$426.4 thousand", "lookup", (PUMPS,), "426400000", NO_FIGURE),
    Stored("much", "lookup", (PUMPS,), "426400000", NO_FIGURE),
    # no table is in thousands
    Stored("$426.4 thousand", "lookup", ((1, 1, "426400"),), "426400", NO_CELL),
    Stored("$42.64 million", "lookup", ((1, 1, "42640000"),), "42640000", NO_CELL),
    # hundredths are of cents alone
    Stored("$4.264", "lookup", ((1, 1, "4.264"),), "4.264", NO_CELL),
    Stored("$5", "lookup", ((6, 1, "5"),), "5", NO_CELL),
    Stored("$12.5 million", "lookup", ((5, 1, "12500000"),), "12500000", NO_CELL),
    Stored("$14.0 million", "lookup", ((5, 3, "14000000"),), "14000000", NO_CELL),
    Stored("$426.4 million", "lookup", (PUMPS,), "426400000", NO_CELL, text="$380.2"),
    Stored("$426.4 million", "lookup", (PUMPS,), "426400000", NO_CELL, text="n/a"),
    Stored("$426.4 million", "lookup", ((1, 1, "much"),), "426400000", NO_CELL),
    Stored("12%", "difference", (PUMPS, PUMPS_BEFORE), "12.1514992109416", OTHER_VALUE),
    Stored("$640.4 million", "difference", (PUMPS, VALVES), "640400000", OTHER_VALUE),
    Stored("12%", "percent_change", (PUMPS_BEFORE, PUMPS), "12.1514992109416", OTHER_VALUE),
    Stored("33.3%", "share", (TOTAL, PUMPS), "33.2916926920675", OTHER_VALUE),
    Stored(
        "6.7%",
        "percent_change_of_sums",
        (PUMPS, PUMPS_BEFORE, VALVES, VALVES_BEFORE),
        "6.69776741086305",
        OTHER_VALUE,
    ),
    Stored("$426.4 million", "guess", (PUMPS,), "426400000", NO_OPERATION),
    Stored("$426.4 million", "lookup", (PUMPS, PUMPS_BEFORE), "426400000", NO_OPERATION),
    Stored("$426.4 million", "sum", (PUMPS,), "426400000", NO_OPERATION),
    Stored("$426.4 million", "lookup", (), "426400000", "it reads no cells"),
    # no published one: its scale must be in it
    Stored("426.4", "lookup", (PUMPS,), "426400000", NO_FIGURE),
    Stored("$426.5 million", "lookup", (PUMPS,), "426400000", NO_FIGURE, truth="$426.3 million"),
]  # fmt: skip
# what a text states, and what it does not: numbers in ones, to the last digit and no further
STATED: list[tuple[str, float, float]] = [
    ("$1.2 billion", 1_249_999_999, 1_250_000_000),
    ("US$5 million", -5_499_999, 5_500_000),
    ("$5B", 5e9, 5e6),
    ("(14)%", 14.49, 14.5),
    (".5%", 0.45, 0.55),
    ("$1,234,567", 1_234_567, 1_234_568),
    ("75 cents", 0.75, 0.74),
    ("5¢", 0.05, 5),
    ("one-percentage-point", 1.4, 1.5),
    ("twenty-five percent", 25, 20),
    ("two and a half million", 2_500_000, 2_000_000),
    ("2 and a half million", 2_500_000, 2_000_000),
    ("55.5 MMBOE", 55.5, 55_500_000),
    ("$2.675", 2.675, 2.67),
    ("5 1/2%", 5.5, 5.4),
    ("6-1/4%", 6.25, 6.3),
    ("5½%", 5.5, 5.6),
    ("5⅜%", 5.375, 5.38),
    ("$1 1/2 billion", 1.5e9, 1.4e9),
    ("$12 Bil", 12e9, 12),
    ("RMB5 million", 5e6, 5),
    ("five hundred thousand", 500_000, 501_000),
    ("twenty-five hundred", 2_500, 2_501),
    ("two and a half hundred", 250, 251),
    ("one hundred and fifty million", 150_000_000, 100_000_000),
    ("two-hundred-fifty", 250, 200),
    ("five hundred cents", 5, 500),
    ("5½¢", 0.055, 5.5),
]


def read_as(text: str, value: float, fault: str | None = None) -> Stored:
    """A figure of this text, looked up in a cell of this value."""
    return Stored(text, "lookup", ((1, 1, str(value)),), str(value), fault, text=str(value))


def of_cell(row: int, number: float, fault: str | None = None) -> Stored:
    """What is looked up in one of `SIGNED`."""
    cell = (len(SALES.cells) - len(SIGNED) + row, 1, str(number))
    return Stored(str(abs(number)), "lookup", (cell,), str(number), fault)


SOUND += [read_as(text, value) for text, value, _ in STATED]
SOUND += [
    read_as(f"$5 {word}", 5 * group.times)
    for _, group in some(packaged_units().of_kind("magnitude"))
    for word in (*group.aliases, *group.symbols)
]
SOUND += [of_cell(row, number) for row, (*_, number) in enumerate(SIGNED)]
FAULTY += [read_as(text, other, NO_FIGURE) for text, _, other in STATED]
FAULTY += [of_cell(row, -number, NO_CELL) for row, (*_, number) in enumerate(SIGNED)]
STORED = [*SOUND, *FAULTY]


def add(lake, name: str, stored: Stored) -> None:
    sentence = f"It was {stored.figure} million." if stored.truth else f"It was {stored.figure}."
    span = replace(
        masked_span(name, "5¢", None),
        sentence=sentence,
        start_char=7,
        end_char=7 + len(stored.figure),
        masked_text=stored.figure,
        truth=stored.truth or stored.figure,
        uid=name if stored.truth else None,
    )
    texts = [SALES.cells[row][column] for row, column, _ in stored.cells]
    texts[:1] = [stored.text] if stored.text else texts[:1]
    operands = tuple(
        Operand(table_index=0, row=row, column=column, text=text, value=value)
        for text, (row, column, value) in zip(texts, stored.cells, strict=True)
    )
    derivation = Derivation(
        derivation_id=name,
        span_id=name,
        place=0,
        operation=stored.operation,
        scenario="comparative",
        operands=operands,
        value=stored.value,
        evidence=0.9,
        named_by="[]",
    )
    lake.add(span, derivation, suite="faith")


def shown(sheets: list[Sheet]) -> Context:
    """A context of these tables."""
    return Context(
        context_id="tables",
        document_ids=("document",),
        kind="tables",
        text=write_sheets(sheets),
        n_tokens=5,
        encoding="cl100k_base",
        start_char=0,
    )


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, handmade) -> Iterator[duckdb.DuckDBPyConnection]:
    """That of a lake with all of `STORED`, each by its number."""
    lake = handmade(tmp_path_factory.mktemp("lake"))
    lake.add(shown([SALES]), suite="faith")
    for number, stored in enumerate(STORED):
        add(lake, str(number), stored)
    with lake.open() as connection:
        yield connection


@pytest.fixture(scope="module")
def faults(warehouse) -> dict[str, str]:
    """The number of a derivation -> what the check says of it."""
    query = "select derivation_id, what_is_wrong from faith.check_derivations_give_their_figure"
    return dict(warehouse.execute(query).fetchall())


@pytest.mark.parametrize(
    "number", range(len(STORED)), ids=[f"{stored.operation} {stored.figure}" for stored in STORED]
)
def test_a_derivation_is_computed_again_and_its_fault_named(faults, number: int) -> None:
    assert faults.get(str(number)) == STORED[number].fault


def test_each_operation_of_the_search_is_computed_again() -> None:
    assert {stored.operation for stored in SOUND} == OPERATIONS


def test_rows_and_cells_are_counted_as_the_search_counts_them(lake, asked) -> None:
    sheets = [
        Sheet(
            index=3,
            pre_text='as "stated", in part',
            cells=(("a", 'b "c", d', ""), (), ("", "", ""), ("1,2",)),
        ),
        Sheet(index=5, pre_text="", cells=(("### Table 7: x", '"'), ("",), ("é\n–", "2"))),
    ]
    context = shown(sheets)
    lake.add(context, suite="faith")
    found = asked("select table_index, row_index, cells from faith.shown_rows order by all")
    assert found == [
        (3, 0, ["a", 'b "c", d', ""]),
        (3, 1, ["", "", ""]),
        (3, 2, ["1,2"]),
        (5, 0, ["### Table 7: x", '"']),
        (5, 1, [""]),
        (5, 2, ["é –", "2"]),
    ]
    assert [
        (sheet.index, row, list(cells))
        for sheet in read_sheets(context.text)
        for row, cells in enumerate(sheet.cells)
    ] == found


def test_a_cell_is_known_by_its_place(lake, asked) -> None:
    lake.add(shown([SALES]), suite="faith")
    add(lake, "there", Stored("$426.4 million", "lookup", (PUMPS,), "426400000"))
    for name, place in {
        "row": (2, 1),
        "column": (1, 2),
        "beyond": (1, 9),
        "below": (99, 1),
    }.items():
        add(lake, name, Stored("$426.4 million", "lookup", (PUMPS,), "426400000"))
        (derivation,) = (row for row in lake.of(Derivation) if row.derivation_id == name)
        moved = replace(derivation.operands[0], row=place[0], column=place[1])
        lake.swap(derivation, replace(derivation, operands=(moved,)))
    found = asked(
        "select derivation_id, what_is_wrong from faith.check_operands_are_cells_of_their_tables "
        "where what_is_wrong like 'the context%' order by all"
    )
    assert found == [
        ("below", "the context shows nothing at its place"),
        ("beyond", "the context shows nothing at its place"),
        ("column", 'the context shows "$380.2" at its place'),
        ("row", 'the context shows "214.0 (1)" at its place'),
    ]
