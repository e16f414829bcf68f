"""Text filings: lines joined into paragraphs, deliberate breaks kept."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tasks.filings.reader.page_artifacts import without_page_artifacts
from tasks.filings.reader.plain_blocks import read_plain

LINE_PARTS = [
    "word", "Item 1.", "PART II", "12", "$ 5,000", "(3)", "-", ".....", "     ", "  ", " ", "\n",
    "\n\n", "\t", "----", "(a)", "<PAGE>", "<TABLE>", "</TABLE>", "<S>  <C>",
    "<CAPTION>", "%", "o ", "Page 4", "&amp;", "1999",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINE_PARTS), max_size=60))
@example(["<PAGE>", "-", "\t", "-"])
def test_loses_no_word_of_any_lines(parts: list[str]) -> None:
    numbered = [f"{part}{index}" if part == "word" else part for index, part in enumerate(parts)]
    blocks = read_plain(
        "\n".join(["A first line of the document that is long enough to be prose."] * 2)
        + "".join(numbered)
    )
    text = "\n\n".join(block.text for block in blocks)
    for part in numbered:
        if part.startswith("word"):
            assert part in text
    assert all(block.text.strip() and "\n\n" not in block.text for block in blocks)
    for block in without_page_artifacts(blocks):
        assert block.cells is None or len({len(row) for row in block.cells}) == 1
