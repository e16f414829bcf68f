"""Snippets in three formats: what is shown, and that rules read the same cells from each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.options import TableFormat
from tasks.suites.tablequest.snippets import (
    blocks_of,
    in_format,
    is_table,
    sheets_of,
    write_snippet,
)

FORMATS: tuple[TableFormat, ...] = ("html", "markdown", "csv")
SPANNED = (
    '<table><tr><th></th><th colspan="2">Sales</th></tr>'
    "<tr><td>A|B</td><td>1</td><td>2,0</td></tr></table>"
)

_lines = (st.text(max_size=12) | st.text('|-\\#"<&, a', max_size=6)).map(
    lambda text: " ".join(text.split())
)
_paragraphs = _lines.filter(lambda line: line != "" and not is_table(line))


@st.composite
def _cells(draw: st.DrawFn) -> tuple[tuple[str, ...], ...]:
    width = draw(st.integers(1, 4))
    row = st.lists(_lines, min_size=width, max_size=width).map(tuple)
    return tuple(draw(st.lists(row, min_size=2, max_size=4)))


@given(st.lists(st.tuples(st.lists(_paragraphs, max_size=2), _cells()), min_size=1, max_size=3))
def test_every_format_is_read_as_the_same_tables(
    parts: list[tuple[list[str], tuple[tuple[str, ...], ...]]],
) -> None:
    text = write_snippet(
        block for paragraphs, cells in parts for block in (*paragraphs, table_html(cells, {}))
    )
    for table_format in FORMATS:
        sheets = sheets_of(in_format(text, table_format))
        assert [sheet.cells for sheet in sheets] == [cells for _, cells in parts]
        before = [""]
        for paragraphs, _ in parts:
            before.append(paragraphs[-1] if paragraphs else before[-1])
        assert [sheet.pre_text for sheet in sheets] == before[1:]
        assert [sheet.index for sheet in sheets] == [*range(1, len(parts) + 1)]


def test_a_cell_stands_in_each_place_that_it_spans() -> None:
    text = write_snippet(["Before.", SPANNED, "After."])
    assert in_format(text, "html") == text
    assert blocks_of(in_format(text, "markdown")) == [
        "Before.",
        "|  | Sales | Sales |\n|---|---|---|\n| A\\|B | 1 | 2,0 |",
        "After.",
    ]
    assert blocks_of(in_format(text, "csv")) == ["Before.", ',Sales,Sales\nA|B,1,"2,0"', "After."]
