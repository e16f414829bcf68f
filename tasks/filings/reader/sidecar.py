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
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tasks.core.errors import WrongSettings
from tasks.filings.reader.submission import is_annual

SIDECAR = "filings.csv"


def _as_annual(form: str) -> str:
    if not is_annual(form):
        raise ValueError(form)
    return re.sub("^10-?K", "10-K", form.upper())


_Cik = Annotated[
    str, Field(pattern="^[0-9]{1,10}$"), AfterValidator(lambda cik: cik.lstrip("0") or None)
]
# a spreadsheet drops the zero of 0100
_Sic = Annotated[str, Field(pattern="^[0-9]{3,4}$"), AfterValidator(lambda sic: sic.zfill(4))]
_Accession = Annotated[str, Field(pattern="^[0-9]{10}-[0-9]{2}-[0-9]{6}$")]
_Form = Annotated[str, AfterValidator(_as_annual)]
# pydantic would read 86400 as seconds
_Day = Annotated[
    date, BeforeValidator(lambda day: date.fromisoformat(day) if isinstance(day, str) else day)
]


class StatedFacts(BaseModel):
    """What `filings.csv` says of one file; None where it says nothing."""

    model_config = ConfigDict(frozen=True)

    cik: _Cik | None = Field(default=None, description="a company's number, like 320193")
    accession: _Accession | None = Field(default=None, description="like 0000012345-17-000003")
    form: _Form | None = Field(default=None, description="an annual report like 10-K or 10-K405")
    filed: _Day | None = Field(default=None, description="a date like 2017-02-24")
    sic: _Sic | None = Field(default=None, description="a four-digit code like 2834")
    company: str | None = None
    period_end: _Day | None = Field(default=None, description="a date like 2016-12-31")


COLUMNS = ("file", *StatedFacts.model_fields)
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
    stated = {name: cell for name, cell in cells.items() if cell and name != "file"}
    try:
        return StatedFacts.model_validate_strings(stated)
    except ValidationError as invalid:
        faults = [(str(error["loc"][0]), error["input"]) for error in invalid.errors()]
        listed = "; ".join(
            f"{name} {cell!r} is not {StatedFacts.model_fields[name].description}"
            for name, cell in faults
        )
        raise WrongSettings(f"{place}: {listed}") from None
