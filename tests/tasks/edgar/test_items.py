"""Items: measured against filings read by eye and another extractor's split, and shape by shape.

`gold_items.jsonl` was written by reading the twenty filings, before there was any code of ours: number, title
and heading as printed, and the words after it, which tell the heading from its row in a table of contents.
Its rules: what the filing prints as a heading of an Item of Form 10-K is one, also where it says only
"omitted"; "Items 1 and 2" are two Items at one place; Regulation AB's Items are none; where an index takes
the place of headings, an Item starts at the section that the index maps it to (note of the Intel filing).

`corpus_disagreements.jsonl` explains each difference from the split in `reference/edgar-corpus`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.edgar.blocks import Block
from tasks.edgar.cross_reference import page_ranges
from tasks.edgar.filing import blocks_of
from tasks.edgar.item_headings import item_numbers
from tasks.edgar.item_titles import TITLES, item_order, match_title, part_of
from tasks.edgar.items import find_items
from tasks.schemas import Item

HERE = Path(__file__).parent
FORM = {
    "1": "Business",
    "1A": "Risk Factors",
    "1B": "Unresolved Staff Comments",
    "2": "Properties",
    "3": "Legal Proceedings",
    "4": "Mine Safety Disclosures",
    "5": "Market for Registrant’s Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
    "6": "Selected Financial Data",
    "7": "Management’s Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
    "9": "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
    "9A": "Controls and Procedures",
    "9B": "Other Information",
    "10": "Directors, Executive Officers and Corporate Governance",
    "11": "Executive Compensation",
    "12": "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
    "13": "Certain Relationships and Related Transactions, and Director Independence",
    "14": "Principal Accountant Fees and Services",
    "15": "Exhibits and Financial Statement Schedules",
    "16": "Form 10-K Summary",
}
PROSE = (
    "The Company makes widgets and sells them to distributors, who sell them on to households in most states. "
    "Sales rise in the fourth quarter, and no customer accounts for a tenth of them."
)


def joined(paragraphs: Sequence[str | Block]) -> tuple[list[Block], list[int], str]:
    blocks = [Block(text=paragraph) if isinstance(paragraph, str) else paragraph for paragraph in paragraphs]
    starts, place = [], 0
    for block in blocks:
        starts.append(place)
        place += len(block.text) + 2
    return blocks, starts, "\n\n".join(block.text for block in blocks)


def items_of(*paragraphs: str | Block) -> dict[str, str]:
    """The text of each Item found, by its number, in order of place."""
    blocks, starts, text = joined(paragraphs)
    return {item.item: text[item.start_char : item.end_char] for item in find_items(blocks, starts, text)}


def titles_of(*paragraphs: str | Block) -> dict[str, str]:
    return {item.item: item.title for item in find_items(*joined(paragraphs))}


# --- the twenty filings ---------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    gold: dict
    text: str
    items: list[Item]
    expected: dict[
        str, int | None
    ]  # where each Item of the gold data starts; None where the text lacks the heading

    def found(self) -> dict[str, int]:
        return {item.item: self._first_letter(item.start_char) for item in self.items}

    def misses(self) -> list[str]:
        found, expected = self.found(), self.expected
        missed = [
            f"{item}: expected at {expected[item]}, found at {found.get(item)}"
            for item in expected
            if found.get(item) != expected[item]
        ]
        return missed + [
            f"{item}: not in the filing, found at {found[item]}" for item in found if item not in expected
        ]

    def right(self) -> int:
        found = self.found()
        return sum(place is not None and found.get(item) == place for item, place in self.expected.items())

    def _first_letter(self, place: int) -> int:
        return next(at for at in range(place, len(self.text)) if self.text[at].isalnum())


def letters(text: str) -> tuple[str, list[int]]:
    """Only letters and digits, lower-cased, with their places: parsers differ in blanks, bars and quotes."""
    places = [place for place, character in enumerate(text) if character.isalnum()]
    return "".join(text[place].lower()[0] for place in places), places


def place_of(entry: dict, squeezed: str, places: list[int]) -> int | None:
    """Where a gold heading stands: of its occurrences the one with most of the following words behind it."""
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
        parsed = blocks_of(gzip.decompress(data) if gold["file"].endswith(".gz") else data)
        blocks, starts, text = joined(parsed)
        squeezed, places = letters(text)
        expected = {entry["item"]: place_of(entry, squeezed, places) for entry in gold["items"]}
        results.append(Measured(gold, text, find_items(blocks, starts, text), expected))
    return results


def report(measured: list[Measured]) -> str:
    return "\n".join(f"{result.gold['file']}: {miss}" for result in measured for miss in result.misses())


def test_the_items_of_real_filings_are_found_with_precision_and_recall_of_97_percent(measured):
    right = sum(result.right() for result in measured)
    found = sum(len(result.items) for result in measured)
    wanted = sum(len(result.expected) for result in measured)
    print(
        f"precision {right / found:.4f}, recall {right / wanted:.4f}, {wanted} Items, {len(measured)} filings"
    )
    assert len(measured) == 20
    assert wanted == 377
    assert right / found >= 0.97, report(measured)
    assert right / wanted >= 0.97, report(measured)


def test_no_real_filing_is_read_badly(measured):
    bad = [result for result in measured if result.right() < 0.9 * len(result.expected)]
    assert not bad, report(bad)


def test_titles_are_given_as_the_filing_prints_them(measured):
    wrong = []
    for result in measured:
        printed = {entry["item"]: letters(entry["title"])[0] for entry in result.gold["items"]}
        wrong += [(result.gold["file"], item.item, item.title) for item in result.items if letters(item.title)[0] != printed.get(item.item)]  # fmt: skip
    assert len(wrong) <= 0.02 * 377, wrong


def test_spans_of_real_filings_are_sorted_and_overlap_only_under_one_heading(measured):
    for result in measured:
        for before, after in zip(result.items, result.items[1:], strict=False):
            assert 0 <= before.start_char < before.end_char <= len(result.text)
            is_shared = (before.start_char, before.end_char) == (after.start_char, after.end_char)
            assert is_shared or before.end_char <= after.start_char, (result.gold["file"], before, after)


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


# --- another extractor's split --------------------------------------------------------


def test_disagreements_with_edgar_corpus_are_exactly_the_explained_ones(shared):
    explained = [json.loads(line) for line in (HERE / "corpus_disagreements.jsonl").read_text().splitlines()]
    seen = []
    files = sorted((shared / "reference/edgar-corpus").glob("*_10K_*"))
    for file in files:
        raw = file.read_bytes()
        split = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        paragraphs: list[str] = []
        theirs = {}
        for item in sorted(TITLES, key=item_order):
            lines = [
                " ".join(line.split()) for line in split.get(f"item_{item}", "").split("\n") if line.strip()
            ]
            if lines:
                theirs[item] = "\n\n".join(lines)
                paragraphs += lines
        ours = items_of(*paragraphs)
        for item in sorted({*theirs, *ours}, key=item_order):
            mine, other = ours.get(item, ""), theirs.get(item, "")
            if mine != other:
                assert mine.startswith(other) or other.startswith(mine), (file.name, item)
                only_theirs, only_ours = other[len(mine) :].strip()[:45], mine[len(other) :].strip()[:45]
                seen.append((file.name, item, only_theirs, only_ours))
    assert len(files) == 10
    assert seen == [(row["file"], row["item"], row["only_theirs"], row["only_ours"]) for row in explained]
    assert all(row["right"] in ("ours", "theirs") and row["why"] for row in explained)


# --- shapes of headings ---------------------------------------------------------------


def test_numbers_are_read_as_they_are_written():
    assert item_numbers("ONE") == ("1",)
    assert item_numbers("fourteen") == ("14",)
    assert item_numbers("9A(T)") == ("9A",)
    assert item_numbers("7a") == item_numbers("7(A)") == item_numbers("7-A") == item_numbers("7 A") == ("7A",)
    assert item_numbers("1 and 2") == ("1", "2")
    assert item_numbers("1. and 2") == ("1", "2")
    assert item_numbers("10, 11, 12 and 13") == ("10", "11", "12", "13")
    assert item_numbers("10 through 13") == ("10", "11", "12", "13")


def test_order_and_part_are_the_forms():
    assert sorted(["10", "9B", "1A", "1", "9", "2", "4A", "16"], key=item_order) == [
        "1",
        "1A",
        "2",
        "4A",
        "9",
        "9B",
        "10",
        "16",
    ]
    assert [part_of(item) for item in ("1", "4A", "5", "9C", "10", "14", "15", "16")] == [
        1,
        1,
        2,
        2,
        3,
        3,
        4,
        4,
    ]


def test_a_title_ends_where_its_words_end():
    text = "Properties United States Properties Our U.S. properties primarily consist of malls"
    assert text[: match_title("2", text, 0).end_char] == "Properties"
    text = "Executive Compensation The information required by this item"
    assert text[: match_title("11", text, 0).end_char] == "Executive Compensation"
    assert match_title("7", "of this Form 10-K", 0).share < 0.5


def test_numbers_in_words_are_items():
    found = titles_of(
        "PART I",
        "ITEM ONE - BUSINESS",
        PROSE,
        "ITEM TWO - PROPERTIES",
        PROSE,
        "ITEM FOURTEEN - EXHIBITS",
        PROSE,
    )
    assert found == {"1": "BUSINESS", "2": "PROPERTIES", "14": "EXHIBITS"}


@pytest.mark.parametrize(
    "heading",
    [
        "Items 1 and 2. Business and Properties",
        "ITEMS 1. AND 2. BUSINESS AND PROPERTIES",
        "Item 1 & 2: Business and Properties",
    ],
)
def test_a_combined_heading_gives_both_items_at_one_place(heading):
    found = items_of(
        heading, PROSE, "Item 1A. Risk Factors", PROSE, "Item 3. Legal Proceedings", PROSE, "Item 4. Reserved"
    )
    assert list(found) == ["1", "2", "1A", "3", "4"]
    assert found["1"] == found["2"] == f"{heading}\n\n{PROSE}"


def test_two_items_in_one_line_keep_a_title_each():
    found = titles_of(
        "Item 1. Business and Item 2. Properties",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found == {"1": "Business", "2": "Properties", "1A": "Risk Factors", "3": "Legal Proceedings"}


def test_a_bare_number_takes_its_title_from_the_next_paragraph():
    found = titles_of(
        "Item 1.",
        "Business",
        PROSE,
        "ITEM 1B.",
        "Unresolved Staff Comments",
        "None.",
        "Item 2.",
        "Properties",
        PROSE,
    )
    assert found == {"1": "Business", "1B": "Unresolved Staff Comments", "2": "Properties"}


def test_a_heading_in_a_row_of_a_table_is_found():
    row = Block(
        text="Item 9A(T). | Controls and Procedures",
        kind="table",
        cells=(("Item 9A(T).", "Controls and Procedures"),),
    )
    found = items_of(
        "Item 9. | Changes in and Disagreements with Accountants",
        "None.",
        row,
        PROSE,
        "| Item 9B. | Other Information",
        "None.",
    )
    assert found["9A"] == f"{row.text}\n\n{PROSE}"
    assert list(found) == ["9", "9A", "9B"]


@pytest.mark.parametrize(
    "heading", ["Item 7.", "ITEM 7:", "Item 7 -", "Item\xa07.", "Item 7 —", "ITEM  7", "PART II, Item 7."]
)
def test_punctuation_and_blanks_of_a_number_vary(heading):
    found = titles_of(
        "Item 6. Selected Financial Data",
        PROSE,
        f"{heading} Management's Discussion and Analysis",
        PROSE,
        "Item 8. Financial Statements",
        PROSE,
    )
    assert found["7"] == "Management's Discussion and Analysis"


def test_a_heading_followed_by_its_text_in_one_line_is_cut_at_its_title():
    found = titles_of(
        f"Item 1. Business {PROSE}",
        f"Item 2. Properties. {PROSE}",
        "Item 3. Legal Proceedings. None.",
        "Item 4. Mine Safety Disclosures Not applicable.",
    )
    assert found == {
        "1": "Business",
        "2": "Properties",
        "3": "Legal Proceedings",
        "4": "Mine Safety Disclosures",
    }


def test_a_title_goes_on_in_the_next_line_where_that_is_all_title():
    found = items_of("Item 1. Business", PROSE, "Item 2. Properties", PROSE, "Item 5. Market for the Registrant's Common Stock and Related", "Stockholder Matters", PROSE, "Item 9. Disagreements on Accounting and Financial", "Disclosure", "None.")  # fmt: skip
    titles = titles_of(*"\n\n".join(found.values()).split("\n\n"))
    assert titles["2"] == "Properties"
    assert titles["5"] == "Market for the Registrant's Common Stock and Related Stockholder Matters"
    assert titles["9"] == "Disagreements on Accounting and Financial Disclosure"


def test_a_title_that_the_form_does_not_know_is_kept_whole():
    found = titles_of(
        "ITEM 12. SECURITY OWNERSHIP",
        PROSE,
        "ITEM 13. ARRANGEMENTS WITH NAMED EXECUTIVE OFFICERS",
        PROSE,
        "ITEM 14. EXHIBITS",
        PROSE,
    )
    assert found["13"] == "ARRANGEMENTS WITH NAMED EXECUTIVE OFFICERS"


def test_reserved_items_are_items():
    found = titles_of(
        "Item 5. Market for Common Equity",
        PROSE,
        "Item 6. [Reserved]",
        "Item 7. Management's Discussion and Analysis",
        PROSE,
    )
    assert found["6"] == "[Reserved]"


def test_headings_of_a_flattened_text_are_found_inside_its_one_line():
    text = (
        "10-K 1 spg.htm Table of Contents FORM 10-K ANNUAL REPORT 4 Table of Contents Part I Item 1. Business Acme makes widgets. "
        "For strategies see Item 7, “Management’s Discussion and Analysis” of this Form 10-K. We follow Item 101 of Regulation S-K. "
        "10 Table of Contents Item 1A. Risk Factors The following factors could matter, as Part II, Item 9A. Controls and Procedures says. "
        "Item 1B. Unresolved Staff Comments None. Item 2. Properties Our land is in Ohio. 48 Table of Contents Part II "
        "Item 5. Market for the Registrant’s Common Equity Acme is listed. SIGNATURES Pursuant to the requirements of Section 13"
    )
    found = items_of(text)
    assert list(found) == ["1", "1A", "1B", "2", "5"]
    assert found["1B"] == "Item 1B. Unresolved Staff Comments None."
    assert found["2"] == "Item 2. Properties Our land is in Ohio."
    assert found["5"].endswith("Acme is listed.")


def test_a_heading_glued_to_the_sentence_before_it_is_found():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 1B. Unresolved Staff Comments",
        "None. Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        "None.",
    )
    assert found["1B"].endswith("None.")
    assert found["2"].startswith("Item 2. Properties")


# --- what is no heading ---------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "Item 7 of this Form 10-K under the heading \"Net Sales,\" and elsewhere in it.",
        "Item 405 of Regulation S-K is not contained herein.",
        'Item 1, "Business--Governmental Standards". Included among the matters are claims.',
        "Item 7, “Management’s Discussion and Analysis of Financial Condition and Results of Operations,” says more.",
        "Item 1A is incorporated by reference.",
        "Items 10, 11, 12 and 13)",
        "Items 10, 11, 12 and 13 are incorporated by reference to the proxy statement.",
        "Item 14(a)(1): Financial Statements",
        "items, the replacement of which can be postponed.",
    ],
)  # fmt: skip
def test_a_line_that_speaks_of_an_item_is_no_heading(line):
    paragraphs = [
        "Item 1. Business",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 2. Properties",
        PROSE,
        line,
        "Item 3. Legal Proceedings",
        PROSE,
    ]
    assert list(items_of(*paragraphs)) == ["1", "1A", "2", "3"]


def test_continued_headings_on_later_pages_are_merged():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1. Business (Continued)",
        PROSE,
        "Item 1. Business - Continued",
        PROSE,
        "Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found["1"].count(PROSE) == 3
    assert list(found) == ["1", "2", "3"]


def test_a_running_head_without_continued_is_merged_too():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1. Business",
        PROSE,
        "Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found["1"].count(PROSE) == 2


def test_items_of_regulation_ab_are_none_and_end_the_item_before_them():
    found = items_of(
        "Item 3. Legal Proceedings.",
        "None.",
        "Item 4. Mine Safety Disclosures.",
        "Not applicable.",
        "Item 1112(b) of Regulation AB. Significant Obligors.",
        PROSE,
        "PART II",
        "Item 5. Market for Common Equity",
        PROSE,
    )
    assert list(found) == ["3", "4", "5"]
    assert found["4"] == "Item 4. Mine Safety Disclosures.\n\nNot applicable."


def contents(page: str = " | {}", link: str = "") -> list[Block]:
    """A table of contents: a row a paragraph, with page numbers, or links, or neither."""
    rows = [
        f"Item {item}. {title}" + page.format(number + 3) for number, (item, title) in enumerate(FORM.items())
    ]
    return [Block(text=row, links=(f"{link}{number}",) if link else ()) for number, row in enumerate(rows)]


BODY = [paragraph for item, title in FORM.items() for paragraph in (f"Item {item}. {title}", PROSE)]


@pytest.mark.parametrize(
    "listing",
    [contents(), contents(" ..... {}"), contents(" K{}"), contents("", "#toc"), contents("")],
    ids=["pages", "leaders", "lettered pages", "links only", "nothing"],
)
def test_a_table_of_contents_is_not_the_filing(listing):
    found = items_of(
        "FORM 10-K", "Table of Contents", *listing, "Signatures | 90", PROSE, "PART I", *BODY, "SIGNATURES"
    )
    assert list(found) == list(FORM)
    assert all(text == f"Item {item}. {FORM[item]}\n\n{PROSE}" for item, text in found.items())


def test_a_table_of_contents_with_sub_headings_is_not_the_filing():
    listing = [line for row in contents() for line in (row, "Overview | 3", "Outlook | 4")]
    found = items_of("Page", *listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_a_table_of_contents_in_one_table_is_not_the_filing():
    listing = Block(text="\n".join(row.text for row in contents()), kind="table", cells=(("Item",),))
    found = items_of("Index", listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_short_answers_in_a_row_are_no_table_of_contents():
    answers = [
        paragraph
        for item, title in FORM.items()
        for paragraph in (f"Item {item}. {title}", "Not applicable.")
    ]
    found = items_of("Contents", *contents(), "PART I", *answers)
    assert list(found.values()) == [
        f"Item {item}. {title}\n\nNot applicable." for item, title in FORM.items()
    ]


def test_headings_that_link_back_to_the_contents_are_no_contents():
    answers = [
        block
        for item in FORM
        for block in (
            Block(text=f"Item {item}. {FORM[item]}", links=("#toc",)),
            Block(text="See the proxy statement."),
        )
    ]
    found = items_of("Contents", *contents(), "PART I", *answers)
    assert [text.count("proxy statement") for text in found.values()] == [1] * len(FORM)


def test_headings_without_text_of_their_own_are_items():
    found = items_of(
        "Item 9. Disagreements",
        PROSE,
        *(f"Item {item}: {FORM[item]}" for item in ("10", "11", "12", "13")),
        PROSE,
        "Item 14: Exhibits",
        PROSE,
    )
    assert list(found) == ["9", "10", "11", "12", "13", "14"]
    assert found["10"] == f"Item 10: {FORM['10']}"


def test_an_item_out_of_order_is_kept_where_it_stands_nowhere_else():
    found = items_of("Item 1. Business.", "Item 1A. Risk Factors.", "Item 2. Properties.", "Item 3. Legal Proceedings.", "Item 1B. Unresolved Staff Comments.", "None.", "Item 4. Mine Safety Disclosures.", "None.", "Item 5. Market for Common Equity", PROSE)  # fmt: skip
    assert list(found) == ["1", "1A", "2", "3", "1B", "4", "5"]


def test_a_small_business_form_numbers_its_items_otherwise():
    found = titles_of(
        "Item 5. Market for Common Equity",
        PROSE,
        "Item 6. Management's Discussion and Analysis or Plan of Operation",
        PROSE,
        "Item 7. Financial Statements",
        PROSE,
    )
    assert found["6"] == "Management's Discussion and Analysis or Plan of Operation"
    assert found["7"] == "Financial Statements"


def test_text_without_items_has_none():
    assert items_of("An annual report without headings.", PROSE) == {}
    assert items_of() == {}


# --- where an Item ends ---------------------------------------------------------------


def test_an_item_ends_before_the_next_part_and_the_last_one_before_the_signatures():
    found = items_of(
        "PART I",
        "Item 3. Legal Proceedings",
        "None.",
        "Item 4. Mine Safety Disclosures",
        "None.",
        "PART II",
        "Acme Corp. and Subsidiaries",
        "Item 5. Market for Common Equity",
        PROSE,
        "PART III",
        "Part III is incorporated by reference.",
        "PART IV",
        "Item 15. Exhibits",
        PROSE,
        "SIGNATURES",
        "Pursuant to the requirements of Section 13",
    )
    assert found["4"].endswith("None.")
    assert found["5"].endswith(PROSE)
    assert found["15"].endswith(PROSE)


def test_a_reference_to_a_part_at_the_end_is_text():
    found = items_of(
        "Item 7. Management's Discussion and Analysis",
        PROSE,
        "Item 8. Financial Statements",
        "They are included in Part IV.",
        "Item 9. Disagreements",
        "None.",
    )
    assert found["8"].endswith("They are included in Part IV.")


def test_a_summary_that_is_none_does_not_take_the_financial_pages_behind_it():
    found = items_of(
        "Item 14. Principal Accountant Fees",
        PROSE,
        "Item 15. Exhibits",
        PROSE,
        "Item 16. Form 10-K Summary",
        "None",
        "REPORT OF MANAGEMENT",
        PROSE,
    )
    assert found["16"] == "Item 16. Form 10-K Summary\n\nNone"


# --- cross-reference indexes ----------------------------------------------------------


def annual_report(linked: bool, offset: int = 1) -> list[Block]:
    """A report in ten pages with sections of its own, and an index on the last."""
    sections = ["Our Story", "Management's Discussion and Analysis", "Risk Factors", "Properties", "Statements", "Controls and Procedures", "Exhibits"]  # fmt: skip
    blocks = [Block(text="FORM 10-K")]
    for number, section in enumerate(sections):
        page = number + 1 + offset
        blocks.append(Block(text=section, is_bold=True, page=page, anchors=(f"#s{number}",)))
        blocks.append(Block(text=f"{section}: {PROSE}", page=page))
    blocks.append(Block(text="Form 10-K Cross-Reference Index", page=8 + offset))
    rows = [("1", "Pages 1, 1-2", 0), ("1A", "Page 3", 2), ("1B", "None", None), ("2", "Pages 1, 4", 3), ("3", "Not applicable", None), ("7", "Pages 2", 1), ("8", "Pages 5-6", 4), ("9A", "Page 6", 5), ("11", "(a)", None), ("15", "Pages 5-6, 7", 6)]  # fmt: skip
    for item, pages, target in rows:
        links = (f"#s{target}",) if linked and target is not None else ()
        blocks.append(Block(text=f"Item {item}. {FORM[item]} | {pages}", page=8 + offset, links=links))
    return [*blocks, Block(text="(a) Incorporated by reference to the proxy statement.", page=8 + offset)]


def test_a_letter_in_parentheses_is_an_item_only_with_its_title():
    found = titles_of(
        "Item 1(a). General Development of Business",
        "Item 7. Management's Discussion and Analysis",
        PROSE,
        "ITEM 7(A). QUANTITATIVE AND QUALITATIVE DISCLOSURES ABOUT MARKET RISK",
        PROSE,
        "Item 8. Financial Statements",
        PROSE,
    )
    assert list(found) == ["7", "7A", "8"]


def test_an_index_whose_rows_lack_the_word_item_is_read():
    blocks = [
        Block(text=re.sub(r"^Item (\w+)\.", r"\1. |", block.text), page=block.page, anchors=block.anchors)
        for block in annual_report(linked=False)
    ]
    found = items_of(*blocks)
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["1B"] == "1B. | Unresolved Staff Comments | None"
    assert len(found) == 10


def test_a_few_lines_like_headings_do_not_hide_an_index():
    report = annual_report(linked=True)
    found = items_of(
        report[0], "Item 1A. Risk Factors", "Item 7. Management's Discussion and Analysis", *report[1:]
    )
    assert found["9A"].startswith("Controls and Procedures")
    assert len(found) == 10


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "page numbers only"])
def test_an_index_leads_to_the_sections(linked):
    found = items_of(*annual_report(linked))
    assert found["1"] == f"Our Story\n\nOur Story: {PROSE}"  # by the longest range: no section has the title
    assert found["7"].startswith("Management's Discussion and Analysis\n\n")
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["2"].startswith("Properties\n\n")  # the page that has the title, not the first one named
    assert found["8"] == f"Statements\n\nStatements: {PROSE}"  # by its pages; ends where 9A starts
    assert found["15"].startswith("Exhibits\n\n")
    assert list(found) == ["1", "7", "1A", "2", "8", "9A", "15", "1B", "3", "11"]


def test_items_that_an_index_maps_to_no_page_are_their_rows():
    found = items_of(*annual_report(linked=True))
    assert found["1B"] == "Item 1B. Unresolved Staff Comments | None"
    assert found["11"] == "Item 11. Executive Compensation | (a)"
    titles = titles_of(*annual_report(linked=True))
    assert titles["1"] == "Business"
    assert titles["11"] == "Executive Compensation"


def test_an_item_of_an_index_ends_with_its_pages():
    found = items_of(*annual_report(linked=True))
    assert "Exhibits" in found["15"]
    assert "Cross-Reference" not in found["15"]


def test_an_index_that_leads_nowhere_gives_its_rows():
    rows = [
        Block(text=f"Item {item}. {title} | {page + 30}") for page, (item, title) in enumerate(FORM.items())
    ]
    found = items_of("Annual report", PROSE, *rows)
    assert list(found) == list(FORM)
    assert found["1A"] == "Item 1A. Risk Factors | 31"


def test_sections_are_found_by_title_where_a_text_has_no_page_breaks():
    report = [Block(text=block.text) for block in annual_report(linked=False)]
    assert "Item 1B." not in items_of(*report)["15"]
    found = items_of(*report[-12:], *report[:-12])
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["9A"].startswith("Controls and Procedures\n\n")
    assert found["1B"].startswith("Item 1B.")


def test_pages_are_read_from_an_index_row_and_dates_are_not_pages():
    assert page_ranges(" | Pages 3-9, 20") == [(3, 9), (20, 20)]
    assert page_ranges("\nSection 13(r) of the Securities Exchange Act of 1934 | Page 69") == [(69, 69)]
    assert page_ranges("Form 10-K Summary | None") == []
    assert page_ranges("(a)") == []


# --- a law ----------------------------------------------------------------------------

STYLES = ["Item {}. {}", "ITEM {} - {}", "Item {}: {}", "ITEM {}. | {}", "Item {}.\n\n{}", "Item {} {}"]
NOISE = [
    PROSE,
    "See Item 7A, “Quantitative and Qualitative Disclosures,” and Item 405 of Regulation S-K.",
    "Item 8 of this report has more.",
    "None.",
    "1999 | 1998\nSales | $12 | $10\nitems sold | 7 | 6",
]


@settings(max_examples=120, deadline=None)
@given(
    chosen=st.lists(st.sampled_from(list(FORM)), min_size=4, unique=True).map(
        lambda items: sorted(items, key=item_order)
    ),
    style=st.sampled_from(STYLES),
    bodies=st.lists(st.sampled_from(NOISE), min_size=len(FORM), max_size=len(FORM)),
    has_contents=st.booleans(),
)
def test_whatever_items_a_filing_has_are_the_ones_found(chosen, style, bodies, has_contents):
    listing = (
        [f"Item {item}. {FORM[item]} | {number + 3}" for number, item in enumerate(chosen)]
        if has_contents
        else []
    )
    sections = [
        f"{style.format(item, FORM[item])}\n\n{body}" for item, body in zip(chosen, bodies, strict=False)
    ]
    paragraphs = "\n\n".join(["FORM 10-K", *listing, PROSE, "PART I", *sections, "SIGNATURES"]).split("\n\n")
    found = items_of(*paragraphs)
    assert list(found) == chosen
    assert list(found.values()) == sections
