"""Derivations and masked figures: sound ones pass the checks, each kind of fault is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import duckdb
import pytest

from tasks.core.rows import Context, Document, Item, Paragraph
from tasks.quantities.units import packaged_units
from tasks.suites.faith.rows import Derivation, MaskedSpan
from tasks.suites.shared.tables.evaluate import OPERATIONS
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet, write_sheets
from tests.sql.masked_lake import masked_span

SHEETS = [
    Sheet(
        index=0,
        pre_text="Results (in millions)",
        cells=(
            ("", "2024", "2023", "Change, %"),
            ("Net sales", "$800", "$764", "5"),
            ("Taxes", "4", "9", "3"),
            ("Taxes as a percent of sales", "5", "7", ""),
            ("Margin", "31%", "29", ""),
            ("Growth", "12", "8", ""),
            ("Cost", "$600", "$700", ""),
            ("Return", "6", "2", ""),
            ("Interest", "11 bps", "(3", "%)"),
        ),
    ),
    Sheet(index=1, pre_text="Sales by product, in percent", cells=(("", "2024"), ("Pumps", "40"))),
    Sheet(
        index=2, pre_text="Sales by product", cells=(("Percent of all", "2024"), ("Pumps", "40"))
    ),
    Sheet(index=3, pre_text="Sales by product, $", cells=(("", "2024"), ("Pumps", "40"))),
    Sheet(
        index=4,
        pre_text="Percent and dollars",
        cells=(("", "2024"), ("Pumps", "40"), ("Valves", "$7")),
    ),
]
SALES, SALES_BEFORE, TAXES, TAXES_BEFORE = (0, 1, 1), (0, 1, 2), (0, 2, 1), (0, 2, 2)

NOT_ASKED = "it gives a ratio of another kind, or no ratio is asked"
NO_PERCENT = "it reads a ratio where the tables say nothing of percent"
IS_PERCENT = "it reads what is no ratio from a cell that is one"

# unit of the figure, operation, cells by table, row and column, fault
KINDS = [
    ("percent", "lookup", [(0, 3, 1)], None),  # its row
    ("percent", "lookup", [(0, 1, 3)], None),  # its column
    ("percent", "lookup", [(0, 4, 1)], None),  # itself
    ("percent", "lookup", [(0, 5, 1)], None),  # the number above
    ("percent", "lookup", [(0, 8, 2)], None),  # the cell after it
    ("percent", "lookup", [(1, 1, 1)], None),  # the words before the table
    ("percent", "lookup", [(2, 1, 1)], None),  # a label above
    ("percent", "point_difference", [(0, 5, 1), (0, 4, 1)], None),
    ("percent", "percent_change", [SALES, SALES_BEFORE], None),
    ("percent", "share", [TAXES, SALES], None),
    ("bps", "basis_points", [(0, 3, 1), (0, 3, 2)], None),
    ("bps", "lookup", [(0, 8, 1)], None),
    ("money", "lookup", [SALES], None),
    ("money", "lookup", [TAXES], None),
    ("count", "sum", [TAXES, TAXES_BEFORE], None),
    ("percent", "lookup", [TAXES], NO_PERCENT),
    ("percent", "lookup", [SALES], NO_PERCENT),
    ("percent", "lookup", [(0, 5, 2)], NO_PERCENT),
    ("percent", "lookup", [(0, 7, 1)], NO_PERCENT),  # amounts since the number above
    ("percent", "lookup", [(3, 1, 1)], NO_PERCENT),
    ("percent", "lookup", [(4, 1, 1)], NO_PERCENT),  # a table of amounts, too
    ("percent", "point_difference", [(0, 4, 1), TAXES], NO_PERCENT),
    ("bps", "basis_points", [TAXES, TAXES_BEFORE], NO_PERCENT),
    ("bps", "percent_change", [SALES, SALES_BEFORE], NOT_ASKED),
    ("money", "percent_change", [SALES, SALES_BEFORE], NOT_ASKED),
    ("count", "share", [TAXES, SALES], NOT_ASKED),
    ("percent", "basis_points", [(0, 3, 1), (0, 3, 2)], NOT_ASKED),
    ("money", "lookup", [(0, 4, 1)], IS_PERCENT),
    ("count", "difference", [TAXES, (0, 8, 2)], IS_PERCENT),
]
CHANGE, COLUMN, SHARE = [SALES, SALES_BEFORE], [SALES, TAXES], [TAXES, SALES]
FOUR = [SALES, TAXES, SALES_BEFORE, TAXES_BEFORE]
# operation, cells, the scenarios that fit
SCENARIOS = [
    ("lookup", [SALES], {"direct lookup"}),
    ("percent_change", CHANGE, {"comparative"}),
    ("point_difference", CHANGE, {"comparative"}),
    ("basis_points", CHANGE, {"comparative"}),
    ("average", CHANGE, {"comparative"}),
    ("difference", CHANGE, {"comparative"}),
    ("difference", COLUMN, {"comparative"}),  # years may stand in rows
    ("difference", [SALES, TAXES_BEFORE], {"comparative"}),
    ("share", SHARE, {"bivariate"}),
    ("sum", COLUMN, {"bivariate"}),
    ("sum", FOUR, {"multivariate"}),
    ("difference_of_sums", FOUR, {"multivariate"}),
    ("percent_change_of_sums", FOUR, {"multivariate"}),
]
ALL_SCENARIOS = ("direct lookup", "comparative", "bivariate", "multivariate")
FIGURE_OF = {"percent": "4%", "bps": "4 basis points", "money": "$4 million", "count": "4"}


@dataclass(frozen=True)
class Said:
    """A masked figure as it might be stored, with what follows it, and its fault."""

    text: str
    unit: str
    fault: str | None = None
    following: str = "."
    truth: str | None = None  # of a published instance


RATIO, MONEY = "a ratio, unlike its text", "money, unlike its text"
FIGURES = [
    Said("23%", "percent"),
    Said("twelve percent", "percent"),
    Said("4.7 points", "percent"),
    Said("25 bps", "bps"),
    Said("100-basis-point", "bps"),
    Said("$5", "per_share"),
    Said("84¢", "money"),
    Said("47 million", "money", following=" U.S. dollars."),
    Said("80,110", "count"),
    Said("442.4", "money", following=" million", truth="$442.4 million"),
    Said("14.3", "percent", following=" percent", truth="0.143"),
    Said("23%", "money", "no percentage, unlike its text"),
    Said("23%", "bps", "basis points, or not, unlike its text"),
    Said("25 bps", "percent", "basis points, or not, unlike its text"),
    Said("$5", "count", "no money, unlike its text"),
    Said("$5", "percent", "no money, unlike its text"),
    Said("80,110", "percent", RATIO),
    Said("80,110", "money", MONEY),
    Said("442.4", "percent", RATIO, truth="442.4"),
    Said("442.4", "money", MONEY, truth="442.4"),
]
CURRENCIES = [
    text
    for _, group in packaged_units().of_kind("currency")
    for text in (*group.symbols, *group.aliases)
]
# Item 7 begins with its heading, has a table, and ends before Item 8.
BLOCKS = [
    "Item 1",
    "Item 7",
    "It rose. It fell 5% in all.",
    "a | b\nc | d",
    "At last, 6% were left.",
    "Item 8",
]


def document(name: str, blocks: list[str]) -> Document:
    """Blocks as a document's paragraphs, all but the first and the last as its Item 7."""
    text = "\n\n".join(blocks)
    start, end = len(blocks[0]) + 2, len(text) - len(blocks[-1])
    return Document(
        document_id=name,
        filing_id="filing",
        text=text,
        n_tokens=1,
        encoding="cl100k_base",
        items=(Item(item="7", title="", start_char=start, end_char=end),),
        paragraphs=(Paragraph(start_char=0, end_char=len(text), n_tokens=1),),
    )


def figure(name: str, said: Said) -> MaskedSpan:
    sentence = f"It was {said.text}{said.following}"
    return replace(
        masked_span(name, "5¢", None),
        sentence=sentence,
        start_char=7,
        end_char=7 + len(said.text),
        masked_text=said.text,
        truth=said.truth or said.text,
        unit=said.unit,
        uid=name if said.truth else None,
    )


def derivation(
    name: str, operation: str, cells: list[tuple[int, int, int]], scenario: str
) -> Derivation:
    operands = tuple(
        Operand(
            table_index=table,
            row=row,
            column=column,
            text=SHEETS[table].cells[row][column],
            value="4",
        )
        for table, row, column in cells
    )
    return Derivation(
        derivation_id=name,
        span_id=name,
        place=0,
        operation=operation,
        scenario=scenario,  # type: ignore[arg-type]
        operands=operands,
        value="4",
        evidence=0.9,
        named_by="[]",
    )


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, handmade) -> Iterator[duckdb.DuckDBPyConnection]:
    """That of a lake with all of the above, each by its number in its list."""
    lake = handmade(tmp_path_factory.mktemp("lake"))
    context = Context(
        context_id="tables",
        document_ids=("document",),
        kind="tables",
        text=write_sheets(SHEETS),
        n_tokens=5,
        encoding="cl100k_base",
        start_char=0,
    )
    rows = [context]
    for number, (unit, operation, cells, _) in enumerate(KINDS):
        name = f"kind {number}"
        rows += [
            figure(name, Said(FIGURE_OF[unit], unit)),
            derivation(name, operation, cells, "comparative"),
        ]
    for number, (operation, cells, _) in enumerate(SCENARIOS):
        for scenario in ALL_SCENARIOS:
            name = f"{scenario} {number}"
            rows += [
                figure(name, Said("$4", "money")),
                derivation(name, operation, cells, scenario),
            ]
    for number, said in enumerate(FIGURES):
        rows.append(replace(figure(f"figure {number}", said), mask_type=None))
    for number, text in enumerate(CURRENCIES):
        for place, said in (
            ("before", Said(f"{text} 5", "money")),
            ("after", Said("5", "money", following=f" {text}.")),
        ):
            rows.append(figure(f"currency {place} {number}", said))
    lake.add(*rows, suite="faith")
    with lake.open() as connection:
        yield connection


@pytest.fixture(scope="module")
def misread(warehouse) -> dict[str, str]:
    query = (
        "select derivation_id, what_is_wrong "
        "from faith.check_derivations_read_cells_of_their_figures_kind"
    )
    return dict(warehouse.execute(query).fetchall())


@pytest.fixture(scope="module")
def missaid(warehouse) -> dict[str, str]:
    query = "select span_id, what_is_wrong from faith.check_masked_figures_are_what_they_say"
    return dict(warehouse.execute(query).fetchall())


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_a_ratio_comes_of_ratios_or_is_calculated(misread, number: int) -> None:
    assert misread.get(f"kind {number}") == KINDS[number][-1]


def test_an_operation_has_its_scenario(warehouse) -> None:
    found = warehouse.execute(
        "select derivation_id from faith.check_scenarios_fit_their_operation"
    ).fetchall()
    wrong = {name for (name,) in found}
    for number, (operation, cells, fitting) in enumerate(SCENARIOS):
        passing = {scenario for scenario in ALL_SCENARIOS if f"{scenario} {number}" not in wrong}
        assert passing == fitting, (operation, cells)
    assert {operation for operation, *_ in SCENARIOS} == OPERATIONS


@pytest.mark.parametrize(
    "number", range(len(FIGURES)), ids=[f"{said.unit} {said.text}" for said in FIGURES]
)
def test_a_figures_unit_is_that_of_its_text(missaid, number: int) -> None:
    assert missaid.get(f"figure {number}") == FIGURES[number].fault


def test_every_currency_is_known(missaid) -> None:
    assert not [
        CURRENCIES[int(name.split()[-1])]
        for name, fault in missaid.items()
        if name.startswith("currency") and fault == MONEY
    ]


@pytest.mark.parametrize(
    ("sentence", "before", "after", "fault"),
    [
        ("It fell 5% in all.", "It rose.", "At last, 6% were left.", None),
        ("It rose.", "Item 7", "It fell 5% in all.", None),
        ("Item 7", "", "It rose.", None),
        ("At last, 6% were left.", "It fell 5% in all.", "", None),
        ("It fell 5% in all.", "", "At last, 6% were left.", "another sentence is before it"),
        (
            "It fell 5% in all.",
            "It was 5%.",
            "At last, 6% were left.",
            "another sentence is before it",
        ),
        ("It fell 5% in all.", "Item 7", "At last, 6% were left.", "another sentence is before it"),
        ("It rose.", "Item 7", "At last, 6% were left.", "another sentence is after it"),
        ("At last, 6% were left.", "It fell 5% in all.", "Item 8", "another sentence is after it"),
        ("At last, 6% were left.", "c | d", "", "another sentence is before it"),
        ("Item 1", "", "", "no text of Item 7"),
    ],
)
def test_a_sentences_neighbours_are_those_of_the_filing(
    lake, asked, sentence: str, before: str, after: str, fault: str | None
) -> None:
    filing = document("document", BLOCKS)
    span = replace(
        masked_span("span", "5¢", None),
        sentence=sentence,
        pre_sentence=before,
        post_sentence=after,
        sentence_start_char=filing.text.index(sentence),
    )
    lake.add(filing, suite=None)
    lake.add(span, suite="faith")
    found = asked(
        "select what_is_wrong from faith.check_masked_sentences_stand_between_their_neighbours"
    )
    assert [row[0] for row in found] == ([fault] if fault else [])
