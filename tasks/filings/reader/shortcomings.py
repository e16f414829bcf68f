"""What filings lack after they are read, and how their owner can mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tasks.core.rows import Document
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.item_titles import item_order

ITEMS, SWALLOWING, TABLES = "without Items", "with an Item that swallows others", "without tables"
# What `filings.csv` may state, and its column.
STATED = {
    "without company": "company",
    "without period": "period_end",
    "without SIC code": "sic",
    "without accession number": "accession",
}
_LEAST_SWALLOWED = 2
_LEAST_SHARE = 0.25  # of the text; a short Item before a gap swallows nothing
_LAST_NUMBER = 14  # that every annual report has; before 2003 the last was 14
_MENDS = {
    ITEMS: (
        "An Item is a line of its own with number and title, such as `Item 2. Properties`. Write "
        "these lines into a copy of the file"
    ),
    TABLES: (
        "Tables are read from HTML's <table> or from aligned columns, not from images or joined "
        "lines. If the filing has figures in tables, save it as HTML with them"
    ),
}
_NAMED = 3  # files of a kind that are named


def shortcomings_of(parsed: ParsedFiling) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a filing, and its file (with the Item)."""
    filing, document = parsed.filing, parsed.document
    file = filing.source_uri
    if not document.items:
        yield ITEMS, file
    elif swallowing := list(_swallowing(document)):
        yield SWALLOWING, f"{file} (Item {', '.join(swallowing)})"
    if not parsed.tables:
        yield TABLES, file
    values = (filing.company, filing.period_end, filing.sic)
    for kind, value in zip(STATED, values, strict=False):
        if value is None:
            yield kind, file
    if filing.filing_id.startswith("sha-"):
        yield "without accession number", file


def report_of(n_filings: int, lacking: Mapping[str, Sequence[str]], *, is_folder: bool) -> str:
    """Say how many filings lack what, which, and what to do; "" if none lacks anything.

    Args:
        lacking: files by what is wrong with them.
        is_folder: whether a `filings.csv` may lie beside the files.
    """
    kinds = [kind for kind in (ITEMS, SWALLOWING, TABLES, *STATED) if lacking.get(kind)]
    if not kinds:
        return ""
    counts = [f"{len(lacking[kind]):,} {kind}" for kind in kinds]
    listed = " and ".join([", ".join(counts[:-1])] * (len(counts) > 1) + counts[-1:])
    lines = [f"of {n_filings:,} filings, {listed}"]
    lines += [f"  {kind}: {_names(lacking[kind])}" for kind in kinds if kind not in STATED]
    mends = [_MENDS[ITEMS]] if {ITEMS, SWALLOWING} & set(kinds) else []
    mends += [_MENDS[TABLES]] if TABLES in kinds else []
    columns = [STATED[kind] for kind in kinds if kind in STATED]
    if columns and is_folder:
        mends.append(f"State in filings.csv beside the files: file,{','.join(columns)}")
    return "\n".join([*lines, *(f"  {mend}" for mend in mends)])


def _names(files: Sequence[str]) -> str:
    return ", ".join(files[:_NAMED]) + (", ..." if len(files) > _NAMED else "")


def _swallowing(document: Document) -> Iterator[str]:
    """Yield the long Items behind which several numbers are missing."""
    by_number = groupby(
        sorted(document.items, key=lambda item: item_order(item.item)),
        key=lambda item: item_order(item.item)[0],
    )
    numbers = [(number, list(items)) for number, items in by_number]
    following = [number for number, _ in numbers[1:]] + [_LAST_NUMBER + 1]
    for (number, items), after in zip(numbers, following, strict=True):
        longest = max(item.end_char - item.start_char for item in items)
        if after - number > _LEAST_SWALLOWED and longest >= _LEAST_SHARE * len(document.text):
            yield items[0].item
