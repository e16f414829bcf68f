"""Read a record of EDGAR-CORPUS: a JSON file with one filing, split into its Items.

`edgar-crawler` writes the same layout with `item_7` for `section_7` and more of EDGAR's header.
Neither has the cover page. Each cell of a table is a line of its own, so tables are only text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.cells import is_enumerator
from tasks.filings.reader.characters import clean
from tasks.filings.reader.files import Rejected, decode
from tasks.filings.reader.item_headings import headings_at_line_starts
from tasks.filings.reader.item_titles import TITLES
from tasks.filings.reader.page_artifacts import without_page_artifacts
from tasks.filings.reader.submission import Submission, is_annual

FORM = "10-K"  # of a record that states none: the corpus has annual reports only

_DATES = {"CONFORMED PERIOD OF REPORT": "period_of_report", "FILED AS OF DATE": "filing_date"}


def read_record(source: str) -> Submission:
    """Return a record's sections by Item, and what it states as fields of EDGAR's header.

    Raises:
        Rejected: it is not one JSON object, has no Items, or states another form.
    """
    try:
        record = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise Rejected("not one JSON record", str(error)) from None
    fields = record if isinstance(record, dict) else {}
    written = (
        (item, fields.get(f"section_{item}") or fields.get(f"item_{item}")) for item in TITLES
    )
    sections = {
        item: decode(text.encode("utf-8", "replace"))
        for item, text in written
        if isinstance(text, str) and text.strip()
    }
    if not sections:
        names = ", ".join(fields) or type(record).__name__
        raise Rejected("no Items", f"no section_1 to section_15 with text, only {names[:200]}")
    texts = {name: str(value or "").strip() for name, value in fields.items()}
    form = texts.get("filing_type", "").upper()
    if form and not is_annual(form):
        raise Rejected("not a 10-K", f"its filing_type is {form}")
    accession = re.search(r"\d{10}-\d\d-\d{6}", texts.get("filename", ""))
    header = {
        "ACCESSION NUMBER": accession[0] if accession else "",
        "CENTRAL INDEX KEY": texts.get("cik", ""),
        "COMPANY CONFORMED NAME": texts.get("company", ""),
        "STANDARD INDUSTRIAL CLASSIFICATION": texts.get("sic", ""),
        **{name: texts.get(field, "").replace("-", "") for name, field in _DATES.items()},
    }
    return Submission("\n\n".join(sections.values()), form or None, header, sections)


def section_blocks(sections: Mapping[str, str]) -> dict[str, list[Block]]:
    """Return the readable blocks of each Item's text, without Items that have none."""
    read = {
        item: without_page_artifacts([Block(text=row) for row in _rows(clean(text))])
        for item, text in sections.items()
    }
    return {item: blocks for item, blocks in read.items() if blocks}


def _rows(text: str) -> list[str]:
    """Return a section's lines, with figures behind their row's label or an earlier figure."""
    rows: list[str] = []
    for line in filter(None, (" ".join(line.split()) for line in text.split("\n"))):
        is_other = any(map(str.isalpha, line)) or is_enumerator(line) or line.startswith("- ")
        goes_on = line in "-–—" or line[0].islower() or not is_other
        if goes_on and rows and not rows[-1].endswith("."):
            rows[-1] += f" {line}"
        else:
            rows.append(line)
    return rows


def items_of_record(parts: Mapping[str, Sequence[Block]], starts: Sequence[int]) -> Iterator[Item]:
    """Yield an Item for each section, in order; `starts` are those of all blocks."""
    first = 0
    for item, blocks in parts.items():
        last = first + len(blocks) - 1
        headings = headings_at_line_starts("\n\n".join(block.text for block in blocks[:2]))[:1]
        yield Item(
            item=item,
            title=headings[0].titles[0] if headings else "",
            start_char=starts[first],
            end_char=starts[last] + len(blocks[-1].text),
        )
        first = last + 1
