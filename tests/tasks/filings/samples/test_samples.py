"""The sample filings say that they are invented, and are read whole."""

from __future__ import annotations

import html
import re

import pytest

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
