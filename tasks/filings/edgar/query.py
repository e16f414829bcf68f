"""Which of EDGAR's filings a run asks for, from its options."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tasks.core.fingerprints import file_hash
from tasks.core.settings import RunSettings, WrongSettings
from tasks.filings.edgar.sectors import code_range
from tasks.filings.reader.submission import is_annual
from tasks.lake.lake import Identity
from tasks.models.addresses import shown

_SCHEME = "edgar:"
_QUARTER = re.compile(r"((?:19|20)\d\d)(?:Q([1-4]))?", re.IGNORECASE)
_FIRST_YEAR = 1993
_TICKER = re.compile(r"[A-Z0-9][A-Z0-9.-]{0,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of EDGAR.

    quarters   whose indexes are read: `2018Q1`
    files      of index lines, which are read like those
    companies  tickers in capitals and CIKs without leading zeros; all companies where there are none
    mix        (sector or range of SIC codes, share of the sample)
    seed       None where nothing is drawn
    """

    quarters: tuple[str, ...]
    files: tuple[str, ...]
    forms: tuple[str, ...]
    companies: tuple[str, ...]
    sample: int | None
    mix: tuple[tuple[str, float], ...]
    seed: int | None
    limit: int | None

    @property
    def identity(self) -> Identity:
        """What stands in a step's identity: files of index lines by their content."""
        return {
            "quarters": list(self.quarters),
            "files": [file_hash(Path(file)) for file in self.files],
            "forms": list(self.forms),
            "companies": list(self.companies),
            "sample": self.sample,
            "sectors": dict(self.mix),
            "seed": self.seed,
            "limit": self.limit,
        }


def is_edgar(filings: str | None) -> bool:
    """Whether filings are to come from EDGAR."""
    return filings is not None and filings.startswith(_SCHEME)


def check_choosing(run: RunSettings) -> None:
    """Refuse what chooses among EDGAR's filings where none are asked for.

    Not before the run is planned: a refresh gives the filings of its quarter to settings that name none.

    Raises:
        WrongSettings: it names the setting.
    """
    if not is_edgar(run.filings):
        for name in ("companies", "sample", "sectors"):
            if getattr(run, name) is not None:
                raise WrongSettings(
                    f"{name} chooses among EDGAR's filings: it needs filings such as edgar:2018Q1"
                )


def read_asked(run: RunSettings) -> Asked:
    """What a run with `--filings edgar:...` asks for.

    Raises:
        WrongSettings: an option makes no sense; the message names it.
    """
    assert run.filings is not None
    quarters, files = _indexes(run.filings.removeprefix(_SCHEME))
    return Asked(
        quarters=quarters,
        files=files,
        forms=_forms(run.forms),
        companies=_companies(run.companies) if run.companies is not None else (),
        sample=run.sample,
        mix=_mix(run.sectors) if run.sectors is not None else (),
        seed=run.seed if run.sample is not None else None,
        limit=run.limit,
    )


def check_access(run: RunSettings) -> str:
    """The contact by which downloads name themselves, where the run says how EDGAR is reached.

    Raises:
        WrongSettings: there is no contact, it is no name with an e-mail address, or EDGAR's address is none.
    """
    contact = run.contact
    if contact is None:
        raise WrongSettings(
            "EDGAR wants to know who downloads: give --contact (TENKBENCH_CONTACT, or contact in Prefect's form) with "
            'the name of your company and an e-mail address, such as "Example Corp data@example.com"; without one the '
            "SEC blocks your address"
        )
    is_plain = contact.isascii() and contact.isprintable()  # it becomes a header
    if not is_plain or not re.search(r"[^ ]+ +[^ ]+@[^ ]+\.[^ ]+", contact):
        raise WrongSettings(
            f"--contact is a company's name and an e-mail address in ASCII, such as "
            f'"Example Corp data@example.com", not {contact!r}'
        )
    if not re.fullmatch(r"https?://[^/@\s]+(?:/\S*)?", run.edgar_url):
        raise WrongSettings(
            f"--edgar-url is an address such as https://www.sec.gov, not {shown(run.edgar_url)!r}"
        )
    return contact


def _indexes(given: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Quarters, and files of index lines."""
    quarters: set[str] = set()
    files: list[str] = []
    for part in _parts(given):
        found = _QUARTER.fullmatch(part)
        if found is None and Path(part).is_file():
            files.append(part)
        elif found is None or int(found[1]) < _FIRST_YEAR:
            raise WrongSettings(
                f"--filings edgar: takes years from {_FIRST_YEAR} on, quarters such as 2018Q1, and files of index lines, "
                f"with commas between; not {part!r}"
            )
        else:
            quarters.update(f"{found[1]}Q{quarter}" for quarter in found[2] or "1234")
    if not quarters and not files:
        raise WrongSettings("--filings edgar: names no year or quarter; write edgar:2018Q1, for example")
    return tuple(sorted(quarters)), tuple(files)


def _forms(given: str) -> tuple[str, ...]:
    forms = sorted({part.upper() for part in _parts(given)})
    if wrong := [form for form in forms if not is_annual(form)]:
        raise WrongSettings(
            "--forms takes the types of annual reports that can be read, with commas between: 10-K, 10-K405, 10-KSB, "
            f"10-KT, each also with /A; not {wrong[0]!r}"
        )
    if not forms:
        raise WrongSettings("--forms names no form type; write 10-K, for example")
    return tuple(forms)


def _companies(given: str) -> tuple[str, ...]:
    file = Path(given)
    try:
        listed = file.read_text(encoding="utf-8") if file.is_file() else given
    except (OSError, UnicodeDecodeError) as unreadable:
        raise WrongSettings(f"--companies {given}: cannot be read ({unreadable})") from unreadable
    names = {
        part.lstrip("0") if part.isdigit() else part.upper()
        for line in listed.splitlines()
        for part in _parts(line.partition("#")[0])
    }
    if wrong := [name for name in sorted(names) if _TICKER.fullmatch(name) is None]:
        raise WrongSettings(f"--companies: {wrong[0]!r} is no ticker, no CIK, and no file of them")
    if not names:
        raise WrongSettings(f"--companies {given} names no company")
    return tuple(sorted(names))


def _mix(given: str) -> tuple[tuple[str, float], ...]:
    mix: dict[str, float] = {}
    for part in _parts(given):
        name, _, share = part.rpartition("=")
        name = name.strip()
        try:
            mix[name] = float(share)
            code_range(name)
        except ValueError as wrong:
            raise WrongSettings(f"--sectors: {part!r}: expected SECTOR=SHARE; {wrong}") from wrong
        if not 0 < mix[name] <= 1:
            raise WrongSettings(f"--sectors: the share of {name} is above 0 and at most 1, not {share}")
    if abs(sum(mix.values()) - 1) > 0.001:
        raise WrongSettings(f"--sectors: the shares come to {sum(mix.values()):g}, not to 1")
    return tuple(sorted(mix.items()))


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]
