"""Page artifacts are removed, and paragraphs that a page cut are joined."""

from __future__ import annotations

import pytest

from tasks.filings.reader.blocks import Block, table_text
from tasks.filings.reader.page_artifacts import without_page_artifacts

PROSE = "The company and its subsidiaries sold goods and services to many customers during the year"


def pages(*contents: list[str | Block]) -> list[Block]:
    return [
        Block(text=text, page=page) if isinstance(text, str) else text
        for page, texts in enumerate(contents)
        for text in texts
    ]


def texts(blocks: list[Block]) -> list[str]:
    return [block.text for block in without_page_artifacts(blocks)]


def test_removes_page_numbers_of_any_style() -> None:
    body = [f"{PROSE}, {n}." for n in range(5)]
    for dressed in ("{}", "-{}-", "Page {}", "- {} -", "F-{}", "({})"):
        assert texts(pages(*[[*body, dressed.format(n)] for n in range(1, 4)])) == body * 3


def test_keeps_running_heads_once_and_no_links_back() -> None:
    contents = [
        [
            Block(text="Table of Contents", links=("#toc",), page=n),
            "EXAMPLE WORKS INC",
            f"{PROSE} {word}.",
            f"More of {word}.",
        ]
        for n, word in enumerate(("one", "two", "three", "four", "five", "six"))
    ]
    kept = texts(pages(*contents))
    assert kept.count("EXAMPLE WORKS INC") == 1
    assert "Table of Contents" not in kept
    assert len(kept) == 13


HEADS = ("(in thousands)", "2022", "2021")


def table(page: int, *cells: tuple[str, ...]) -> Block:
    return Block(text=table_text(cells), kind="table", page=page, cells=cells)


def tables(*contents: list[str | Block]) -> list[tuple[tuple[str, ...], ...]]:
    blocks = without_page_artifacts(pages(*contents))
    return [block.cells for block in blocks if block.cells is not None]


@pytest.mark.parametrize(
    "following",
    [
        [table(1, HEADS, ("Gas", "5", "4"))],  # has heads
        [table(1, ("", "Shares", "Price"), ("Gas", "5", "4"))],
        [table(1, ("Gas", "5"))],  # has other columns
        ["Gas costs by plant:", table(1, ("Gas", "5", "4"))],  # is introduced
        [table(0, ("Gas", "5", "4"))],  # is on the same page
    ],
)
def test_two_tables_are_never_joined(following: list[str | Block]) -> None:
    assert len(tables([table(0, HEADS, ("Sales", "5", "4"))], following)) == 2
    without_heads = [table(0, ("Sales", "5", "4"))]
    assert len(tables(without_heads, [table(1, ("Gas", "5", "4"))])) == 2
