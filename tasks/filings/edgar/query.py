"""What is asked of EDGAR, parsed from the texts of options, and how EDGAR is reached."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tasks.core.errors import WrongSettings
from tasks.core.untrusted import is_web_address
from tasks.filings.reader.submission import is_annual
from tasks.lake.lake import Identity
from tasks.models.addresses import shown

_SCHEME = "edgar:"
_SP500 = "sp500"  # names the packaged list of the S&P 500's companies
_QUARTER = re.compile(r"((?:19|20)\d\d)(?:Q([1-4]))?", re.IGNORECASE)
_FIRST_YEAR = 1993
_TICKER = re.compile(r"[A-Z0-9][A-Z0-9.-]{0,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgarQuery:
    """Which of EDGAR's filings are asked for."""

    quarters: tuple[str, ...]  # quarters whose indexes are read: `2018Q1`
    forms: tuple[str, ...]  # in capitals, sorted
    companies: tuple[str, ...]  # tickers in capitals, CIKs without leading zeros; empty: all
    sample: int | None  # number of filings to draw; None: all
    seed: int | None  # of the sample; None without one
    limit: int | None  # most filings to take

    @property
    def identity(self) -> Identity:
        """The query as part of a step's identity."""
        return {
            "quarters": list(self.quarters),
            "files": [],  # index files of the user's, which releases of before may have
            "forms": list(self.forms),
            "companies": list(self.companies),
            "sample": self.sample,
            "seed": self.seed,
            "limit": self.limit,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgarAccess:
    """How EDGAR is reached."""

    contact: str | None  # company and e-mail address that every request carries
    url: str = "https://www.sec.gov"  # of EDGAR or of a mirror

    def checked_contact(self) -> str:
        """Return the contact, if EDGAR can be asked with this access.

        Raises:
            WrongSettings: the contact is missing or malformed, or the URL is malformed.
        """
        contact = self.contact
        if contact is None:
            raise WrongSettings(
                "EDGAR requires a contact for every download. Give --contact, or set "
                "TENKBENCH_CONTACT: the name of your company and an e-mail address, such as "
                '"Example Corp data@example.com". Without a contact, the SEC blocks your IP address'
            )
        is_plain = contact.isascii() and contact.isprintable()  # it becomes an HTTP header
        if not is_plain or not re.search(r"[^ ]+ +[^ ]+@[^ ]+\.[^ ]+", contact):
            raise WrongSettings(
                "--contact is a company's name and an e-mail address in ASCII, such as "
                f'"Example Corp data@example.com", not {contact!r}'
            )
        is_plain = re.fullmatch(r"https?://[^/@\s]+(?:/\S*)?", self.url) is not None
        if not is_plain or not is_web_address(self.url):
            raise WrongSettings(
                f"--edgar-url is an address such as https://www.sec.gov, not {shown(self.url)!r}"
            )
        return contact


def is_edgar(filings: str | None) -> bool:
    """Whether the option --filings names EDGAR rather than files."""
    return filings is not None and filings.startswith(_SCHEME)


def parse_query(
    filings: str,
    *,
    forms: str,
    companies: str | None = None,
    sample: int | None = None,
    seed: int | None = None,
    limit: int | None = None,
) -> EdgarQuery:
    """Parse the texts of options into a query.

    Args:
        filings: `edgar:` and years or quarters, with commas between.
        forms: form types, with commas between.
        companies: tickers and CIKs with commas between, a file of them, or `sp500`.

    Raises:
        WrongSettings: an option makes no sense; the message names it.
    """
    return EdgarQuery(
        quarters=_quarters(filings.removeprefix(_SCHEME)),
        forms=_forms(forms),
        companies=_companies(companies) if companies is not None else (),
        sample=sample,
        seed=seed if sample is not None else None,
        limit=limit,
    )


def _quarters(written: str) -> tuple[str, ...]:
    quarters: set[str] = set()
    for part in _parts(written):
        match = _QUARTER.fullmatch(part)
        if match is None or int(match[1]) < _FIRST_YEAR:
            raise WrongSettings(
                f"--filings edgar: takes years from {_FIRST_YEAR} on and quarters such as 2018Q1, "
                f"comma-separated; not {part!r}"
            )
        quarters.update(f"{match[1]}Q{quarter}" for quarter in match[2] or "1234")
    if not quarters:
        raise WrongSettings(
            "--filings edgar: names no year or quarter; write edgar:2018Q1, for example"
        )
    return tuple(sorted(quarters))


def _forms(given: str) -> tuple[str, ...]:
    forms = sorted({part.upper() for part in _parts(given)})
    if wrong := [form for form in forms if not is_annual(form)]:
        raise WrongSettings(
            "--forms takes comma-separated types of annual reports: 10-K, 10-K405, 10-KSB, "
            f"10-KT, each also with /A; not {wrong[0]!r}"
        )
    if not forms:
        raise WrongSettings("--forms names no form type; write 10-K, for example")
    return tuple(forms)


def _companies(given: str) -> tuple[str, ...]:
    packaged = resources.files(__package__).joinpath("sp500.txt")
    file = packaged if given == _SP500 else Path(given)
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
        raise WrongSettings(
            f"--companies: {wrong[0]!r} is not a ticker, a CIK, a file of them, or sp500"
        )
    if not names:
        raise WrongSettings(f"--companies {given} names no company")
    return tuple(sorted(names))


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]
