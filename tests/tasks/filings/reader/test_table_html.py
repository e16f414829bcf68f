"""Canonical HTML of tables: what it keeps, and that it expands to the cells."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from tasks.filings.reader.blocks import Block, Cells
from tasks.filings.reader.files import decode, find_files, unpack
from tasks.filings.reader.filing import read_blocks
from tasks.filings.reader.html_blocks import read_html
from tasks.filings.reader.submission import read_submission
from tasks.filings.reader.table_html import expand, table_html


def written(block: Block) -> str:
    assert block.cells is not None
    return table_html(block.cells, block.spans)


def expanded_by_lxml(source: str) -> Cells:
    """Expand a table as a browser does; fail if two cells claim one place."""
    places: dict[tuple[int, int], str] = {}
    rows = html.fromstring(source).findall(".//tr")
    for r, row in enumerate(rows):
        c = 0
        for cell in row:
            while (r, c) in places:
                c += 1
            for down in range(int(cell.get("rowspan", "1"))):
                for right in range(int(cell.get("colspan", "1"))):
                    assert (r + down, c + right) not in places
                    places[r + down, c + right] = cell.text or ""
    width = max(c for _, c in places) + 1
    return tuple(tuple(places[r, c] for c in range(width)) for r in range(len(rows)))


def test_keeps_heads_and_spans_and_nothing_else() -> None:
    (block,) = read_html(
        "<table><tr><td></td><td colspan=5 style='x'>Year Ended June 30,</td></tr>"
        "<tr><td>(In millions)</td><td colspan=2>2023</td><td></td><td colspan=2>2022</td></tr>"
        "<tr><td rowspan=2 align=left>R&amp;D</td><td>$</td><td>5</td><td></td><td>$</td><td>4</td>"
        "</tr><tr><td></td><td>(3</td><td>)</td><td></td><td>2</td></tr></table>"
    )
    assert written(block) == (
        '<table><tr><th></th><th colspan="2">Year Ended June 30,</th></tr>'
        "<tr><th>(In millions)</th><th>2023</th><th>2022</th></tr>"
        '<tr><td rowspan="2">R&amp;D</td><td>$5</td><td>$4</td></tr>'
        "<tr><td>(3)</td><td>2</td></tr></table>"
    )
    assert expand(written(block)) == block.cells == expanded_by_lxml(written(block))


CELL = st.tuples(
    st.sampled_from(["", "Sales", "&lt;&amp;&gt;", "$", "5", "(3", ")", "2023", "a long label"]),
    st.integers(1, 4),
    st.integers(1, 3),
)


@given(st.lists(st.lists(CELL, max_size=5), min_size=2, max_size=6))
def test_expanding_gives_the_cells_back_whatever_spans_overlap(
    rows: list[list[tuple[str, int, int]]],
) -> None:
    written_rows = (
        "".join(f"<td colspan={wide} rowspan={tall}>{text}</td>" for text, wide, tall in row)
        for row in rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in written_rows)
    first = "<tr><td>Costs</td><td>7</td><td>6</td></tr>"
    for block in read_html(f"<table>{first}{body}{first}</table>"):
        if block.cells is not None:
            assert expand(written(block)) == block.cells == expanded_by_lxml(written(block))


def test_expanding_gives_the_cells_back_on_every_table_of_the_filings(shared: Path) -> None:
    n_tables = n_spans = 0
    for file in find_files(shared / "filings"):
        blocks, _ = read_blocks(read_submission(decode(unpack(file.read_bytes()))).text)
        for block in blocks:
            if block.cells is not None:
                source = written(block)
                assert expand(source) == block.cells == expanded_by_lxml(source)
                names = set(re.findall(r"<(?!/)([^>]*?)(?:=\"\d+\")?>", source))
                n_spans += source.count("span=")
                n_tables += 1
                assert all(
                    re.fullmatch(r'table|tr|t[hd](?: (?:row|col)span(?:="\d+" colspan)?)?', name)
                    for name in names
                )
    assert n_tables > 600
    assert n_spans > 500
