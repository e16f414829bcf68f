"""Identify a filing: by its SGML header, else inline XBRL's cover facts, else its cover page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.files import Rejected
from tasks.filings.reader.sidecar import NOTHING_STATED, Stated
from tasks.filings.reader.submission import Submission, is_annual
from tasks.quantities.figures import FULL_MONTHS

_COVER_CHARS = 8000  # most characters of a cover page
_LONGEST_NAME = 60  # characters; after a date or file number, more than this is not only a name

_FACT_NAMES = (
    "DocumentType",
    "AmendmentFlag",
    "EntityRegistrantName",
    "EntityCentralIndexKey",
    "DocumentPeriodEndDate",
)
_TAG = re.compile(r"<[^>]+>")

_FORM = re.compile(
    r"\bform\s*:?\s*((?:10|8|6|11|12|18|20|40|N|S|F|DEF|SD)\s?[-–—]?\s?[A-Z0-9]{0,6}(?:\s?/\s?A)?)(?![a-z])",
    re.IGNORECASE,
)
_QUARTERLY = re.compile(
    r"quarterly\s+report\s+(?:pursuant|under)\b|\bquarterly\s+period\s+ended\b", re.IGNORECASE
)
# What the form prints on its cover. Other texts that name Form 10-K have one or two of these. The
# first, which hardly any other text has, counts twice.
_ANNUAL_REPORT = re.compile(
    r"annual\s+report\s+(?:pursuant\s+to|under)\s+section\s+1[35]", re.IGNORECASE
)
_COVER_MARKS = (
    re.compile(r"^\W*form\s+10-?k\w*(?:/a)?\W*$", re.IGNORECASE | re.MULTILINE),
    _ANNUAL_REPORT,
    re.compile(
        r"name\s+of\s+(?:the\s+)?(?:registrant|small\s+business\s+issuer|issu|company)", re.I
    ),
    re.compile(r"commission\s+file", re.IGNORECASE),
    re.compile(r"(?:fiscal\s+year|year|period)\s+end(?:ed|ing)\b", re.IGNORECASE),
    re.compile(r"i\.?\s?r\.?\s?s\.?\s+employer", re.IGNORECASE),
    re.compile(r"registered\s+(?:pursuant\s+to|under)\s+section\s+12", re.IGNORECASE),
    re.compile(r"indicate\s+by\s+check\s?mark", re.IGNORECASE),
    re.compile(r"documents\s+incorporated\s+by\s+reference", re.IGNORECASE),
)
_FEWEST_MARKS = 3
_AMENDMENT = re.compile(r"\(?\s*amendment\s+no\b", re.IGNORECASE)
_EXACT_NAME = re.compile(
    r"\(?\s*(?:exact\s+)?name\s+of\s+(?:the\s+)?(?:registrants?|company|small\s+business\s+issuer"
    r"|issuer|issuing\s+entity)\b",
    re.IGNORECASE,
)
_AFTER_DATE = re.compile(r".*(?:19|20)\d\d\s+|.*\d-\d{4,6}(?:-\d\d)?\W*\s+", re.DOTALL)
_NAME_WORD = r"(?:(?:[a-z]?[A-Z]|\d+[A-Z-]|[&(])\S*|of|and|the|for|de)"
_NAME_AT_END = re.compile(rf"(?<!\S){_NAME_WORD}(?:\s+{_NAME_WORD})*\Z")
_BEFORE_NAME = re.compile(  # phrases of a cover with capitals, up to the name
    r".*\b(?:COMMISSION FILE (?:NUMBER|NO)|FILE (?:NUMBER|NO)|FORM 10-?K\w*"
    r"|TRANSITION PERIOD|REPORT|ACT OF \d{4})\b\W*",
    re.IGNORECASE | re.DOTALL,
)
_DATE = re.compile(
    rf"({FULL_MONTHS})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+((?:19|20)\d\d)", re.IGNORECASE
)
_NUMERIC_DATE = re.compile(r"\b(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)\b")  # month first
_SIC = re.compile(r"(?<!\d)\d{4}(?=\]?$)")
_PERIOD = re.compile(r"(?:fiscal\s+year|year|period)\s+(?:ended|ending)\s*:?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """The identity of one filing."""

    accession: str | None
    cik: str | None
    company: str | None
    sic: str | None  # industry, as the SEC's four-digit code
    form: str
    period_end: date | None
    filed_date: date | None


def read_cover(
    submission: Submission, blocks: Sequence[Block], stated: Stated = NOTHING_STATED
) -> Cover:
    """Return a filing's identity.

    `stated` is what `filings.csv` says of the file. It completes what header and facts say, and
    replaces the form that the cover page names, which is often just "10-K" for a 10-K405.

    Raises:
        Rejected: nothing says that it is an annual report, or something names another form, or
            `stated` contradicts the file.
    """
    header = submission.header
    page = _cover_blocks(blocks)
    facts = cover_facts(submission.text)
    cik = header.get("CENTRAL INDEX KEY") or facts.get("EntityCentralIndexKey") or ""
    declared = submission.form or _declared_form(facts)
    said = Stated(
        cik=cik.lstrip("0") if cik.isdigit() else None,
        accession=header.get("ACCESSION NUMBER"),
        form=declared,
        filed=_compact_date(header.get("FILED AS OF DATE")),
        sic=header_sic(header),
    )
    for name in ("cik", "accession", "form", "filed", "sic"):
        in_file, in_csv = getattr(said, name), getattr(stated, name)
        if in_file and in_csv and in_file != in_csv:
            raise Rejected(
                "contradicts filings.csv", f"{name}: {in_file} in the file, {in_csv} in filings.csv"
            )
    return Cover(
        accession=said.accession or stated.accession,
        cik=said.cik or stated.cik,
        company=header.get("COMPANY CONFORMED NAME")
        or facts.get("EntityRegistrantName")
        or _company(page),
        sic=said.sic or stated.sic,
        form=declared or stated.form or _form(page),
        period_end=_compact_date(header.get("CONFORMED PERIOD OF REPORT"))
        or _written_date(facts.get("DocumentPeriodEndDate", ""))
        or _period(page),
        filed_date=said.filed or stated.filed,
    )


def cover_facts(source: str) -> dict[str, str]:
    """Return inline XBRL's facts that identify a filing, by name, also hidden ones."""
    facts: dict[str, str] = {}
    if "xmlns:dei" not in source[:50_000] and "<ix:" not in source[:500_000]:
        return facts
    for name in _FACT_NAMES:
        place = source.find(f'dei:{name}"')
        start = source.find(">", place) + 1
        end = source.find("</ix:nonNumeric>", start)
        if place >= 0 and 0 < start <= end <= start + 1000:
            facts[name] = " ".join(html.unescape(_TAG.sub("", source[start:end])).split())
    return facts


def header_sic(header: Mapping[str, str]) -> str | None:
    """Return the SIC code in a header: `BEVERAGES [2080]`, or `2080` in the oldest."""
    found = _SIC.search(header.get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    return found[0] if found else None


def _cover_blocks(blocks: Sequence[Block]) -> list[str]:
    texts = []
    size = 0
    for block in blocks:
        texts.append(block.text[:_COVER_CHARS])
        size += len(block.text)
        if size > _COVER_CHARS:
            break
    return texts


def _declared_form(facts: Mapping[str, str]) -> str | None:
    """Return the form that inline XBRL declares, or None."""
    declared = facts.get("DocumentType", "").upper()
    if declared and not is_annual(declared):
        raise Rejected("not a 10-K", f"its cover facts say form {declared}")
    return _amended(declared, facts.get("AmendmentFlag", "").lower() == "true") or None


def _form(page: Sequence[str]) -> str:
    text = "\n".join(page)
    found = _FORM.search(text)
    form = re.sub(r"^10-?K", "10-K", re.sub(r"\s", "", found[1]).upper()) if found else None
    form = form and re.sub("[–—]", "-", form)
    if form is not None and not is_annual(form):
        raise Rejected("not a 10-K", f"its cover says Form {form}")
    is_annual_report = bool(_ANNUAL_REPORT.search(text))
    if not is_annual_report and _QUARTERLY.search(text):
        raise Rejected("not a 10-K", "its cover says that it is a quarterly report")
    n_marks = sum(bool(mark.search(text)) for mark in _COVER_MARKS) + is_annual_report
    if (form or is_annual_report) and n_marks >= _FEWEST_MARKS:
        return _amended(form or "10-K", bool(found and _AMENDMENT.match(text, found.end())))
    why = "it names Form 10-K, but has no cover page of one; it" if form else "it"
    raise Rejected("not a 10-K", f"{why} begins with {' '.join(text.split())[:80]!r}")


def _amended(form: str, is_amended: bool) -> str:
    return form + "/A" if form and is_amended and not form.endswith("/A") else form


def _company(page: Sequence[str]) -> str | None:
    for index, text in enumerate(page):
        found = _EXACT_NAME.search(text)
        if found is None:
            continue
        before = text[: found.start()].strip()
        if not before and index:
            before = page[index - 1]
        before = before.split("\n")[-1]
        if len(before) > 100:  # a text without line breaks
            before = _AFTER_DATE.sub("", before)
            if len(before) > _LONGEST_NAME and (found := _NAME_AT_END.search(before)):
                before = _BEFORE_NAME.sub("", found[0])
        before = before.split(" | ")[0].strip(" _-()")
        return before[:160] or None
    return None


def _period(page: Sequence[str]) -> date | None:
    text = " ".join(page)
    for found in _PERIOD.finditer(text):
        if ended := _written_date(text[found.end() : found.end() + 60]):
            return ended
    return None


def _written_date(text: str) -> date | None:
    if found := _DATE.search(text):
        month = FULL_MONTHS.split("|").index(found[1].title()) + 1
        return _date(f"{found[3]}-{month:02}-{found[2]:0>2}")
    if found := _NUMERIC_DATE.search(text):
        return _date(f"{found[3]}-{found[1]:0>2}-{found[2]:0>2}")
    iso = re.search(r"\b(?:19|20)\d\d-\d\d-\d\d\b", text)
    return _date(iso[0]) if iso else None


def _compact_date(digits: str | None) -> date | None:
    return _date(digits) if digits and re.fullmatch(r"\d{8}", digits) else None


def _date(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:  # covers do say February 30
        return None
