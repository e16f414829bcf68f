"""Derivations in SQL: computed again, and read from the tables that are shown."""

from __future__ import annotations

from tasks.core.rows import Context
from tasks.suites.faith.derivations.expressions import OPERATIONS
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet, read_sheets, write_sheets
from tests.filled import filled
from tests.sql.sound_lake import masked_span

SALES = Sheet(
    index=0,
    pre_text="Sales by product (in millions)",
    cells=(
        ("", "2024", "2023"),
        ("Pumps", "$426.4", "$380.2"),
        ("Valves", "214.0 (1)", "220.0"),
        ("Total", "1,280.8", "1,200.4"),
        ("Tax rate", "7.25%", "7.00%"),
    ),
)
# row, column, value
Place = tuple[int, int, str]
PUMPS, PUMPS_BEFORE = (1, 1, "426400000"), (1, 2, "380200000")
VALVES, TOTAL = (2, 1, "214000000"), (3, 1, "1280800000")
RATE, RATE_BEFORE = (4, 1, "7.25"), (4, 2, "7.00")

# operation, cells, value: all sound
SOUND: list[tuple[str, list[Place], str]] = [
    ("lookup", [PUMPS], "426400000"),
    ("difference", [PUMPS, PUMPS_BEFORE], "46200000"),
    ("percent_change", [PUMPS, PUMPS_BEFORE], "12.151499210941609"),
    ("point_difference", [RATE, RATE_BEFORE], "0.25"),
    ("basis_points", [RATE, RATE_BEFORE], "25.00"),
    ("share", [VALVES, TOTAL], "16.7083073079325422"),
]
# operation, cells, value: the value is another one, or none
UNSOUND: list[tuple[str, list[Place], str]] = [
    ("lookup", [PUMPS], "426400001"),
    ("difference", [PUMPS_BEFORE, PUMPS], "46200000"),
    ("share", [VALVES, (3, 1, "0")], "16.7"),
    ("average", [PUMPS, VALVES], "320200000"),
    ("lookup", [PUMPS, VALVES], "426400000"),
]


def add(lake, name: str, operation: str, cells: list[Place], value: str) -> None:
    """Add a figure with one derivation, both of the name."""
    operands = tuple(
        Operand(table_index=0, row=row, column=column, text=SALES.cells[row][column], value=number)
        for row, column, number in cells
    )
    said = {"operation": operation, "value": value, "score": 0.9}
    derivation = filled(Derivation, derivation_id=name, span_id=name, operands=operands, **said)
    lake.add(masked_span(name, "5¢", None), derivation, suite="faith")


def shown(sheets: list[Sheet]) -> Context:
    """A context of these tables."""
    return filled(Context, context_id="tables", kind="tables", text=write_sheets(sheets))


def test_a_derivation_of_another_value_is_named(lake, asked) -> None:
    lake.add(shown([SALES]), suite="faith")
    for kind, derivations in {"sound": SOUND, "unsound": UNSOUND}.items():
        for number, derivation in enumerate(derivations):
            add(lake, f"{kind} {number}", *derivation)
    of_value = asked("select derivation_id from faith.check_derivations_give_their_value")
    assert {name for (name,) in of_value} == {f"unsound {n}" for n in range(len(UNSOUND))}


def test_each_operation_of_the_search_is_computed_again() -> None:
    assert {operation for operation, *_ in SOUND} == OPERATIONS


def test_rows_and_cells_are_counted_as_the_search_counts_them(lake, asked) -> None:
    cells = (("a", 'b "c", d', ""), (), ("", "", ""), ("1,2",))
    others = (("### Table 7: x", '"'), ("",), ("é\n–", "2"))
    first = Sheet(index=3, pre_text='as "stated", in part', cells=cells)
    context = shown([first, Sheet(index=5, pre_text="", cells=others)])
    lake.add(context, suite="faith")
    rows = asked("select table_index, row_index, cells from faith.shown_rows order by all")
    assert rows == [
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
    ] == rows
