"""What filings lack after they are read, and how their owner can mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tasks.filings.reader.filing import ParsedFiling

ITEMS, TABLES = "without Items", "without tables"
# What `filings.csv` may state, and its column.
STATED = {
    "without company": "company",
    "without period": "period_end",
    "without SIC code": "sic",
    "without accession number": "accession",
}
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
    """Yield what is wrong with a filing, and its file."""
    filing, document = parsed.filing, parsed.document
    file = filing.source_uri
    if not document.items:
        yield ITEMS, file
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
    kinds = [kind for kind in (ITEMS, TABLES, *STATED) if lacking.get(kind)]
    if not kinds:
        return ""
    counts = [f"{len(lacking[kind]):,} {kind}" for kind in kinds]
    listed = " and ".join([", ".join(counts[:-1])] * (len(counts) > 1) + counts[-1:])
    lines = [f"of {n_filings:,} filings, {listed}"]
    lines += [f"  {kind}: {_names(lacking[kind])}" for kind in kinds if kind not in STATED]
    mends = [_MENDS[kind] for kind in kinds if kind in _MENDS]
    columns = [STATED[kind] for kind in kinds if kind in STATED]
    if columns and is_folder:
        mends.append(f"State in filings.csv beside the files: file,{','.join(columns)}")
    return "\n".join([*lines, *(f"  {mend}" for mend in mends)])


def _names(files: Sequence[str]) -> str:
    return ", ".join(files[:_NAMED]) + (", ..." if len(files) > _NAMED else "")
