"""What a folder's `filings.csv` says of its filings, for files without EDGAR's header.

    file,cik,accession,form,filed,sic,company,period_end
    acme-2016.htm,12345,0000012345-17-000003,10-K,2017-02-24,2834,Acme Corp,2016-12-31

Only `file` is required: a path below the folder. An empty cell says nothing.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tasks.core.errors import WrongSettings
from tasks.filings.reader.submission import is_annual

SIDECAR = "filings.csv"
COLUMNS = ("file", "cik", "accession", "form", "filed", "sic", "company", "period_end")

_ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """What `filings.csv` says of one file; None where it says nothing."""

    cik: str | None = None
    accession: str | None = None
    form: str | None = None
    filed: date | None = None
    sic: str | None = None
    company: str | None = None
    period_end: date | None = None


NOTHING_STATED = StatedFacts()


def read_sidecar(path: Path, files: Collection[str]) -> dict[str, StatedFacts]:
    """Return what `filings.csv` says, by file; {} if there is no such file.

    Raises:
        WrongSettings: it is not such a table, or a row is wrong; the message names the line.
    """
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise WrongSettings(f"{path} cannot be read ({unreadable}). Save it as UTF-8") from None
    table = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    columns = table.fieldnames or []
    wrong = [column for column in columns if column not in COLUMNS]
    if wrong or "file" not in columns:
        raise WrongSettings(
            f"{path} has the columns {', '.join(map(repr, columns)) or 'of an empty file'}. "
            f"Write {','.join(COLUMNS)} as its first line; all but file may be left out"
        )
    facts: dict[str, StatedFacts] = {}
    for row in table:
        place = f"{path}, line {table.line_num}"
        if None in row or None in row.values():
            raise WrongSettings(
                f"{place} does not have {len(columns)} cells, as the first line has"
            )
        cells = {name: value.strip() for name, value in row.items()}
        file = cells["file"]
        if file not in files:
            raise WrongSettings(
                f"{place}: the folder has no filing {file!r}. Add the file, correct its name or "
                "remove the line"
            )
        if file in facts:
            raise WrongSettings(f"{place}: {file!r} has a line already. Remove one of them")
        facts[file] = _stated(cells, place)
    return facts


def _stated(cells: Mapping[str, str], place: str) -> StatedFacts:
    cik, accession, form, filed, sic, company, period_end = (
        cells.get(column, "") for column in COLUMNS[1:]
    )
    faults = [
        f"{name} {value!r} is not {what}"
        for name, value, is_right, what in (
            ("cik", cik, cik.isdecimal() and len(cik) <= 10, "a company's number, like 320193"),
            ("accession", accession, _ACCESSION.fullmatch(accession), "like 0000012345-17-000003"),
            ("form", form, is_annual(form), "an annual report, such as 10-K or 10-K405"),
            ("filed", filed, _date(filed), "a date like 2017-02-24"),
            ("period_end", period_end, _date(period_end), "a date like 2016-12-31"),
            ("sic", sic, sic.isdecimal() and len(sic) in (3, 4), "a four-digit code like 2834"),
        )
        if value and not is_right
    ]
    if faults:
        raise WrongSettings(f"{place}: {'; '.join(faults)}")
    return StatedFacts(
        cik=cik.lstrip("0") or None,
        accession=accession or None,
        form=re.sub("^10-?K", "10-K", form.upper()) or None,
        filed=_date(filed),
        sic=sic.zfill(4) if sic else None,  # a spreadsheet drops the zero of 0100
        company=company or None,
        period_end=_date(period_end),
    )


def _date(written: str) -> date | None:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None
