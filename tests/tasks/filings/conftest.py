"""Filings for tests of the Items, invented or measured, and the Items found in them.

Tests import the invented ones by name (`tests.tasks.filings.conftest`). They are not fixtures,
because parameters and strategies need them at collection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.files import decode, unpack
from tasks.filings.reader.filing import read_blocks
from tasks.filings.reader.items import find_items
from tasks.filings.reader.submission import read_submission

HERE = Path(__file__).parent

FORM = {
    "1": "Business",
    "1A": "Risk Factors",
    "1B": "Unresolved Staff Comments",
    "2": "Properties",
    "3": "Legal Proceedings",
    "4": "Mine Safety Disclosures",
    "5": (
        "Market for Registrant’s Common Equity, "
        "Related Stockholder Matters and Issuer Purchases of Equity Securities"
    ),
    "6": "Selected Financial Data",
    "7": "Management’s Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
    "9": "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
    "9A": "Controls and Procedures",
    "9B": "Other Information",
    "10": "Directors, Executive Officers and Corporate Governance",
    "11": "Executive Compensation",
    "12": (
        "Security Ownership of Certain Beneficial Owners "
        "and Management and Related Stockholder Matters"
    ),
    "13": "Certain Relationships and Related Transactions, and Director Independence",
    "14": "Principal Accountant Fees and Services",
    "15": "Exhibits and Financial Statement Schedules",
    "16": "Form 10-K Summary",
}
PROSE = (
    "The Company makes widgets and sells them to distributors, who sell them on to households in "
    "most states. Sales rise in the fourth quarter, and no customer accounts for a tenth of them."
)


def joined(paragraphs: Sequence[str | Block]) -> tuple[list[Block], list[int], str]:
    blocks = [
        Block(text=paragraph) if isinstance(paragraph, str) else paragraph
        for paragraph in paragraphs
    ]
    starts, place = [], 0
    for block in blocks:
        starts.append(place)
        place += len(block.text) + 2
    return blocks, starts, "\n\n".join(block.text for block in blocks)


def items_of(*paragraphs: str | Block) -> dict[str, str]:
    """Return the text of each Item found, by number, in order of place."""
    return {item: spans[-1] for item, spans in spans_of(*paragraphs).items()}


def spans_of(*paragraphs: str | Block) -> dict[str, list[str]]:
    """Return the texts of each Item's spans, by number."""
    blocks, starts, text = joined(paragraphs)
    found: dict[str, list[str]] = {}
    for item in find_items(blocks, starts, text):
        found.setdefault(item.item, []).append(text[item.start_char : item.end_char])
    return found


def annual_report(linked: bool, offset: int = 1) -> list[Block]:
    """Return a report of ten pages with its own sections, and an index on the last page."""
    sections = [
        "Our Story", "Management's Discussion and Analysis", "Risk Factors", "Properties",
        "Statements", "Controls and Procedures", "Exhibits",
    ]  # fmt: skip
    blocks = [Block(text="FORM 10-K")]
    for number, section in enumerate(sections):
        page = number + 1 + offset
        blocks.append(Block(text=section, is_bold=True, page=page, anchors=(f"#s{number}",)))
        blocks.append(Block(text=f"{section}: {PROSE}", page=page))
    blocks.append(Block(text="Form 10-K Cross-Reference Index", page=8 + offset))
    rows = [
        ("1", "Pages 1, 1-2", 0), ("1A", "Page 3", 2), ("1B", "None", None), ("2", "Pages 1, 4", 3),
        ("3", "Not applicable", None), ("7", "Pages 2", 1), ("8", "Pages 5-6", 4),
        ("9A", "Page 6", 5), ("11", "(a)", None), ("15", "Pages 5-6, 7", 6),
    ]  # fmt: skip
    for item, pages, target in rows:
        links = (f"#s{target}",) if linked and target is not None else ()
        blocks.append(
            Block(text=f"Item {item}. {FORM[item]} | {pages}", page=8 + offset, links=links)
        )
    return [
        *blocks,
        Block(text="(a) Incorporated by reference to the proxy statement.", page=8 + offset),
    ]


def cut_out(blocks: Sequence[Block], begin: int, end: int) -> list[Block]:
    """Return a filing without the characters from `begin` to `end`, its pages renumbered."""
    kept = []
    lost_pages = 0
    place = page = 0
    for block in blocks:
        head, tail = block.text[: max(begin - place, 0)], block.text[max(end - place, 0) :]
        is_whole = end <= place or begin >= place + len(block.text)
        place += len(block.text) + 2
        text = block.text if is_whole else head + tail
        if text.strip():
            kept.append(replace(block, text=text.strip(), page=block.page - lost_pages))
        else:
            lost_pages += block.page - page
        page = block.page
    return kept


@dataclass(frozen=True)
class Measured:
    gold: dict
    blocks: list[Block]
    text: str
    items: list[Item]
    # where each Item of the gold data starts; None if the text lacks the heading
    expected: dict[str, int | None]

    def found(self) -> dict[str, list[int]]:
        """Return where the spans of each Item start."""
        starts: dict[str, list[int]] = {}
        for item in self.items:
            starts.setdefault(item.item, []).append(self._first_letter(item.start_char))
        return starts

    def misses(self) -> list[str]:
        found, expected = self.found(), self.expected
        missed = [
            f"{item}: expected at {expected[item]}, found at {found.get(item)}"
            for item in expected
            if expected[item] not in found.get(item, [])
        ]
        return missed + [
            f"{item}: not in the filing, found at {found[item]}"
            for item in found
            if item not in expected
        ]

    def _first_letter(self, place: int) -> int:
        return next(at for at in range(place, len(self.text)) if self.text[at].isalnum())


def letters(text: str) -> tuple[str, list[int]]:
    """Return lower-case letters and digits with their places, in which parsers agree."""
    places = [place for place, character in enumerate(text) if character.isalnum()]
    return "".join(text[place].lower()[0] for place in places), places


def place_of(entry: dict, squeezed: str, places: list[int]) -> int | None:
    """Return the occurrence of a gold heading with most of the expected words after it."""
    heading = letters(entry["heading"])[0]
    words = [letters(word)[0] for word in entry["next"].split()]
    hits = [match.start() for match in re.finditer(f"(?={re.escape(heading)})", squeezed)]
    if not hits:
        return None
    tails = {hit: squeezed[hit + len(heading) : hit + len(heading) + 90] for hit in hits}
    return places[max(hits, key=lambda hit: (sum(word in tails[hit] for word in words), hit))]


@pytest.fixture(scope="session")
def measured(shared: Path) -> list[Measured]:
    results = []
    for line in (HERE / "gold_items.jsonl").read_text(encoding="utf-8").splitlines():
        gold = json.loads(line)
        data = (shared / "filings" / gold["file"]).read_bytes()
        parsed, _ = read_blocks(read_submission(decode(unpack(data))).text)
        blocks, starts, text = joined(parsed)
        squeezed, places = letters(text)
        expected = {entry["item"]: place_of(entry, squeezed, places) for entry in gold["items"]}
        results.append(Measured(gold, blocks, text, find_items(blocks, starts, text), expected))
    return results
