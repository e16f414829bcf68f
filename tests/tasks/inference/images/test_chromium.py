"""Pages as pixels: every cell is whole on one page, and what a filing says is only text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.inference.images.chromium import (
    HEIGHT,
    WIDTH,
    CannotDraw,
    Chromium,
    NoChromium,
    find_chromium,
)
from tasks.suites.tablequest.answer import document_of
from tests.chromium import installed_chromium
from tests.image_suite import table
from tests.png import pixels_of


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    installed_chromium()
    started = Chromium(find_chromium())
    yield started
    started.close()


def colour_of(row: int, column: int) -> tuple[int, int, int]:
    """A colour of this cell's own; text and what smooths it are grey or mixed with black."""
    return 255, 128 + row, 128 + column


def coloured(html: str, n_rows: int, n_columns: int) -> str:
    """The document with a background of its own for each cell."""
    rules = [
        f"tr:nth-child({row + 1}) > :nth-child({column + 1}) "
        f"{{ background: rgb{colour_of(row, column)} }}"
        for row in range(n_rows)
        for column in range(n_columns)
    ]
    return html.replace("</style>", "\n".join([*rules, "</style>"]))


Box = tuple[int, int, int, int, int]  # page, left, top, right, bottom


def boxes_of(pages: list[NDArray[np.uint8]], n_rows: int, n_columns: int) -> dict[tuple, list[Box]]:
    """Where each cell's colour is: a box for each page that has some of it."""
    found: dict[tuple, list[Box]] = {}
    for number, page in enumerate(pages):
        ys, xs = np.nonzero((page[..., 0] == 255) & (page[..., 1] < 255) & (page[..., 2] < 255))
        codes = page[ys, xs, 1].astype(int) * 256 + page[ys, xs, 2]
        order = np.argsort(codes, kind="stable")
        cells, starts = np.unique(codes[order], return_index=True)
        edges = [
            of.reduceat(places[order], starts)
            for of, places in (
                (np.minimum, xs),
                (np.minimum, ys),
                (np.maximum, xs),
                (np.maximum, ys),
            )
        ]
        for code, *box in zip(cells.tolist(), *(edge.tolist() for edge in edges), strict=True):
            row, column = code // 256 - 128, code % 256 - 128
            if 0 <= row < n_rows and 0 <= column < n_columns:
                found.setdefault((row, column), []).append((number, *box))
    return found


@pytest.mark.parametrize(("n_rows", "n_columns"), [(60, 5), (12, 40), (90, 9)])
def test_every_cell_is_whole_on_one_page(chromium: Chromium, n_rows: int, n_columns: int) -> None:
    text = "Sales rose by 5 %. " * 30
    html = coloured(document_of(f"{text}\n\n{table(n_rows, n_columns)}"), n_rows, n_columns)
    pages = [pixels_of(page) for page in chromium.draw(html)]
    assert all(page.shape[0] <= HEIGHT and page.shape[1] == WIDTH for page in pages)
    boxes = boxes_of(pages, n_rows, n_columns)
    assert len(boxes) == n_rows * n_columns
    assert all(len(parts) == 1 for parts in boxes.values()), "a cell is on two pages"
    heights = Counter(bottom - top for ((_, _, top, _, bottom),) in boxes.values())
    assert max(heights) - min(heights) <= 1, "a cell of one line is lower than another"
    assert all(left > 0 and right < WIDTH - 1 for ((_, left, _, right, _),) in boxes.values())
    for (row, column), ((page, left, top, *_),) in boxes.items():  # in reading order
        after = boxes.get((row, column + 1))
        assert after is None or (after[0][0] == page and after[0][1] > left)
        below = boxes.get((row + 1, column))
        assert below is None or (below[0][0], below[0][2]) > (page, top)


def test_no_line_is_cut_of_a_cell_that_is_higher_than_a_page(chromium: Chromium) -> None:
    rows = [f"<td>{row}</td>" for row in range(80)]
    rows[0] = '<td rowspan="80">all years</td><td>0</td>'
    html = document_of(f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>")
    pages = [pixels_of(page) for page in chromium.draw(coloured(html, 80, 2))]
    boxes = boxes_of(pages, 80, 2)
    assert len(boxes[0, 0]) == len(pages) > 1
    assert all(len(boxes[row, 0]) == 1 for row in range(1, 80))


def test_a_table_too_wide_to_be_read_is_refused(chromium: Chromium) -> None:
    with pytest.raises(CannotDraw, match=r"too wide for a page(.|\n)*begins with '0,000 0,001"):
        chromium.draw(document_of(table(2, 300)))
    assert len(chromium.draw(document_of(table(2, 3)))) == 1  # it goes on


def test_the_same_document_gives_the_same_bytes(chromium: Chromium) -> None:
    html = document_of(table(5, 5))
    first = chromium.draw(html)
    assert chromium.draw(document_of("Another one.")) != first
    assert chromium.draw(html) == first


def test_scripts_do_not_run_and_tags_of_a_filing_are_text(chromium: Chromium) -> None:
    turns_red = "<script>document.documentElement.style.background = 'red'</script>"
    (page,) = map(pixels_of, chromium.draw(f"<!DOCTYPE html><body>one{turns_red}</body>"))
    assert (page[..., 1] == page[..., 0]).all()
    cell = f"<table><tr><td>{turns_red}</td></tr></table>"  # as no table of ours is written
    escaped = "<table><tr><td>&lt;script&gt;1&lt;/script&gt;</td></tr></table>"
    without = "<table><tr><td></td></tr></table>"
    shown = [chromium.draw(document_of(each))[0] for each in (cell, escaped, without)]
    dark = [int((pixels_of(each) < 100).sum()) for each in shown]
    assert dark[0] > dark[1] > dark[2]


def test_a_browser_that_ends_is_said(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho no display >&2\n")
    program.chmod(0o755)
    with pytest.raises(CannotDraw, match=r"chromium cannot draw: (.|\n)*no display"):
        Chromium(str(program))


def test_without_a_browser_on_the_path_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoChromium, match="apt-get install chromium"):
        find_chromium()
