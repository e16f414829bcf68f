"""Items measured: against filings read by eye, and against another extractor's split.

`gold_items.jsonl` was written by reading the twenty filings, before any of our code existed. It has
the number, title and heading as printed, and the words after it, which tell the heading from its
row in a table of contents. Its rules:

- What the filing prints as a heading of an Item of Form 10-K is one, even if it says "omitted".
- "Items 1 and 2" are two Items at one place. Regulation AB's Items do not count.
- If an index replaces the headings, an Item starts at the section that the index maps it to (see
  the note of the Intel filing).

`corpus_disagreements.jsonl` explains each difference from the split in `reference/edgar-corpus`.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_titles import TITLES, item_order
from tasks.filings.reader.items import find_items
from tests.tasks.filings.conftest import joined, letters

HERE = Path(__file__).parent


def test_items_start_where_the_filings_print_them(measured):
    assert len(measured) == 20
    assert sum(len(result.expected) for result in measured) == 377
    assert [miss for result in measured for miss in result.misses()] == []


def test_titles_are_as_printed(measured):
    wrong = []
    for result in measured:
        printed = {entry["item"]: letters(entry["title"])[0] for entry in result.gold["items"]}
        wrong += [
            (result.gold["file"], item.item, item.title)
            for item in result.items
            if letters(item.title)[0] != printed.get(item.item)
        ]
    assert len(wrong) <= 0.02 * 377, wrong


def test_items_of_intel_agree_with_the_identifiers_of_another_parser(shared, measured):
    theirs = json.loads((shared / "filings/expected-sections/intel_2023_main.json").read_text())
    (intel,) = [result for result in measured if result.gold["file"].startswith("intel")]
    index = intel.text.rindex("Form 10-K Cross-Reference Index")
    ours = {item.item: item.start_char < index for item in intel.items}
    assert set(ours) - {entry["identifier"] for entry in theirs} == {
        "1C",
        "9C",
        "16",
    }  # newer Items, which theirs lacks
    assert {entry["identifier"] for entry in theirs} <= set(ours)
    with_text = {entry["identifier"] for entry in theirs if entry["character_count"]}
    assert all(ours[item] for item in with_text)
    in_body_for_us_alone = {item for item, is_in_body in ours.items() if is_in_body} - with_text
    assert in_body_for_us_alone == {"1C", "9B", "10"}  # the index maps these to pages 65, 69 and 68


def test_disagreements_with_edgar_corpus_are_the_explained_ones(shared):
    explained = [
        json.loads(line) for line in (HERE / "corpus_disagreements.jsonl").read_text().splitlines()
    ]
    seen = []
    files = sorted((shared / "reference/edgar-corpus").glob("*_10K_*"))
    for file in files:
        raw = file.read_bytes()
        split = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        paragraphs: list[str] = []
        theirs = {}
        for item in sorted(TITLES, key=item_order):
            lines = [
                " ".join(line.split())
                for line in split.get(f"item_{item}", "").split("\n")
                if line.strip()
            ]
            if lines:
                theirs[item] = "\n\n".join(lines)
                paragraphs += lines
        blocks, starts, text = joined([Block(text=paragraph) for paragraph in paragraphs])
        ours = {
            item.item: text[item.start_char : item.end_char]
            for item in find_items(blocks, starts, text)
        }
        for item in sorted({*theirs, *ours}, key=item_order):
            mine, other = ours.get(item, ""), theirs.get(item, "")
            if mine != other:
                assert mine.startswith(other) or other.startswith(mine), (file.name, item)
                only_theirs, only_ours = (
                    other[len(mine) :].strip()[:45],
                    mine[len(other) :].strip()[:45],
                )
                seen.append((file.name, item, only_theirs, only_ours))
    assert len(files) == 10
    assert seen == [
        (row["file"], row["item"], row["only_theirs"], row["only_ours"]) for row in explained
    ]
    assert all(row["right"] in ("ours", "theirs") and row["why"] for row in explained)
