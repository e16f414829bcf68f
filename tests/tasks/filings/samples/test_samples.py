"""The sample filings say that they are invented, and are read whole."""

from __future__ import annotations

import html
import re

import pytest

from tasks.filings.reader.filing import parse_filing
from tasks.filings.samples import sample_folder

FILINGS = ("brackwater-2018.htm", "quillstone-2023.htm", "tillamere-1997.txt")


def read(name: str) -> str:
    return (sample_folder() / name).read_text(encoding="utf-8")


def plain(name: str) -> str:
    """Return the words and figures of a filing on one line, to search in."""
    text = re.sub(r"<ix:header>.*?</ix:header>", " ", read(name), flags=re.DOTALL)
    text = html.unescape(
        re.sub(r"<(?!/?(?:span|ix:))[^>]*>", " ", text).replace("</span><span", "</span> <span")
    )
    text = re.sub(r"<[^>]*>", "", text).replace("\x97", "—")
    return " ".join(text.split())


@pytest.mark.parametrize("name", FILINGS)
def test_sample_says_that_it_is_invented(name: str) -> None:
    head = plain(name)[:2500]
    assert "Sample document written for the tenkbench project" in head
    assert "fictional" in head
    assert "nothing here was filed" in head


@pytest.mark.parametrize(
    ("name", "form", "period", "items", "n_tables"),
    [
        (
            "brackwater-2018.htm",
            "10-K",
            "2018-12-31",
            "1 1A 1B 2 3 4 5 6 7 7A 8 9 9A 9B 10 11 12 13 14 15 16",
            15,
        ),
        (
            "quillstone-2023.htm",
            "10-K",
            "2023-12-31",
            "1 1A 1B 1C 2 3 4 5 6 7 7A 8 9 9A 9B 9C 10 11 12 13 14 15 16",
            8,
        ),
        ("tillamere-1997.txt", "10-K405", "1997-12-31", "1 2 3 4 5 6 7 7A 8 9 10 11 12 13 14", 9),
    ],
)
def test_reads_a_sample_whole(name: str, form: str, period: str, items: str, n_tables: int) -> None:
    parsed = parse_filing((sample_folder() / name).read_bytes(), name)
    assert parsed.filing.form == form
    assert str(parsed.filing.period_end) == period
    assert parsed.filing.company is not None
    assert parsed.filing.company.lower().startswith(name.split("-")[0])
    assert [item.item for item in parsed.document.items] == items.split()
    assert len(parsed.tables) == n_tables
    starts = {paragraph.start_char for paragraph in parsed.document.paragraphs}
    assert {item.start_char for item in parsed.document.items} <= starts
