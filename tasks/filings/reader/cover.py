"""Identify a filing: by its SGML header, else inline XBRL's cover facts, else its cover page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Any

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.files import Rejected
from tasks.filings.reader.html_tags import TAG
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.filings.reader.submission import Submission, is_annual
from tasks.quantities.figures import FULL_MONTHS

_COVER_CHARS = 8000  # most characters of a cover page
_BEFORE_TITLE = 2000  # of them before the form's name
_LONGEST_NAME = 60  # characters; after a date or file number, more than this is not only a name
_FIRST_PART = 100_000  # characters before and in the cover: some filings begin with a letter

_FACT_NAMES = (
    "DocumentType",
    "AmendmentFlag",
    "EntityRegistrantName",
    "EntityCentralIndexKey",
    "DocumentPeriodEndDate",
)

_DASH = r"\s?[-–—]?\s?"
# A form's name as a line of its own, perhaps with letters spaced out.
_TITLE = re.compile(
    rf"^[^\w\n]*(?:f\s?o\s?r\s?m[\s:]*)?(?P<form>1\s?0{_DASH}[kq](?:sb|t)?(?:{_DASH}4\d\d?)?"
    r"(?: ?/? ?\(?a\)?(?![a-z]))?|(?:\d{1,2}[a-z]?|[ns])-[a-z\d]{1,6})(?![a-z])"
    r"(?:[^\n]{0,30}| *annual report[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
# What the form prints on its cover. Other texts that name Form 10-K have one or two of these. The
# first, which hardly any other text has, counts twice.
_COVER_MARKS = (
    ("annual report pursuant to section", "annual report under section"),
    ("transition report pursuant to section", "transition report under section"),
    ("name of registrant", "name of the registrant", "name of small business issuer"),
    ("commission file",),
    ("year ended", "year ending", "period ended", "period ending", "transition period"),
    ("i.r.s. employer", "irs employer"),
    ("registered pursuant to section 12", "registered under section 12"),
    ("indicate by check mark",),
    ("documents incorporated by reference",),
)
_FEWEST_MARKS = 3
_COVER_ONLY = ("exact name of", "name of small business issuer")
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
_MONTHS = [month[:3].lower() for month in FULL_MONTHS.split("|")]
_MONTH = rf"(?<![a-z])(?P<month>{'|'.join(_MONTHS)})[a-z]*"
_DAY = r"(?P<day>\d\s?\d?)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1\s?9|2\s?0)\s?\d\s?\d)(?!\d)"
_GAP = r"[\s,.|_-]*"  # cells of a table are set apart by bars
_DATES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}",
        rf"\b{_DAY}\s*(?:day\s+of\s+)?{_MONTH}{_GAP}{_YEAR}",
        r"\b(?P<month>0?[1-9]|1[0-2])[-/.](?P<day>\d{1,2})[-/.](?P<year>(?:19|20)?\d\d)\b",
    )
]
_PERIOD = re.compile(
    r"\b(?:fiscal|years?|periods?|weeks|months)\W{1,3}(?:(?:19|20)\d\d\W+)?end(?:ed|ing|s)?\b"
    r"|\btransition\s+period\s+from\b[^.]{6,40}?\bto\b",
    re.IGNORECASE,
)


def read_cover(
    submission: Submission, blocks: Sequence[Block], stated: StatedFacts = NOTHING_STATED
) -> dict[str, Any]:
    """Return a filing's identity: columns of `Filing`, with `filing_id` None if it is unknown.

    `stated` is what `filings.csv` says of the file. It completes what header and facts say, and
    replaces what the cover page names: its form is often just "10-K" for a 10-K405. An industry or
    a name may change, so the header's is taken.

    Raises:
        Rejected: nothing says that it is an annual report, or something names another form.
    """
    header = submission.header
    facts = cover_facts(submission.text)
    cik = header.get("CENTRAL INDEX KEY") or facts.get("EntityCentralIndexKey") or ""
    declared = submission.form or _declared_form(facts)
    form, page = (declared, _beginning(blocks)) if declared else _form(blocks, stated.form)
    return {
        "filing_id": header.get("ACCESSION NUMBER") or stated.accession,
        "cik": cik.lstrip("0") if cik.isdigit() else stated.cik,
        "company": header.get("COMPANY CONFORMED NAME")
        or facts.get("EntityRegistrantName")
        or stated.company
        or _company(page),
        "sic": _header_sic(header) or stated.sic,
        "form": form,
        "period_end": _compact_date(header.get("CONFORMED PERIOD OF REPORT"))
        or _written_date(facts.get("DocumentPeriodEndDate", ""))
        or stated.period_end
        or _period(page),
        "filed_date": _compact_date(header.get("FILED AS OF DATE")) or stated.filed,
    }


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
            facts[name] = " ".join(html.unescape(TAG.sub("", source[start:end])).split())
    return facts


def _header_sic(header: Mapping[str, str]) -> str | None:
    """Return the SIC code in a header: `BEVERAGES [2080]`, or `2080` in the oldest."""
    code = header.get("STANDARD INDUSTRIAL CLASSIFICATION", "").rstrip("]")[-4:]
    return code if len(code) == 4 and code.isdecimal() else None


def _beginning(blocks: Sequence[Block], most: int = _COVER_CHARS) -> list[str]:
    """Return the texts of blocks up to the one with which they exceed some characters."""
    sizes = accumulate((len(block.text) for block in blocks), initial=0)
    return [
        block.text[:_COVER_CHARS]
        for block, before in zip(blocks, sizes, strict=False)
        if before <= most
    ]


def _declared_form(facts: Mapping[str, str]) -> str | None:
    """Return the form that inline XBRL declares, or None."""
    declared = facts.get("DocumentType", "").upper()
    if declared and not is_annual(declared):
        raise Rejected("not a 10-K", f"its cover facts say form {declared}")
    return _amended(declared, facts.get("AmendmentFlag", "").lower() == "true") or None


def _form(blocks: Sequence[Block], stated: str | None) -> tuple[str, Sequence[str]]:
    """Return the form that the cover page names, or `stated`, and the cover page."""
    text = "\n".join(_beginning(blocks, _FIRST_PART))
    for title in _TITLE.finditer(text):
        start, end = title.start(), title.start() + _COVER_CHARS
        cover = f"{text[start:end]}\n{text[max(start - _BEFORE_TITLE, 0) : start]}"
        if 1 + _count_marks(cover) < _FEWEST_MARKS:
            continue
        below = text[title.end("form") :].lstrip(" (\n")
        form = _amended(_normal(title["form"]), below[:12].lower() == "amendment no")
        if not is_annual(form):
            raise Rejected("not a 10-K", f"its cover says Form {form}")
        return stated or form, cover.split("\n")
    page = _beginning(blocks)
    begins = " ".join(" ".join(page).split())
    words = begins.lower()
    if stated:
        if "quarterly report pursuant" in words and "annual report pursuant" not in words:
            raise Rejected("not a 10-K", "its cover says that it is a quarterly report")
        return stated, page
    is_cover = "form 10-k" in words and any(name in words for name in _COVER_ONLY)
    if is_cover and _count_marks(begins) >= _FEWEST_MARKS:
        return "10-K", page  # a text without lines
    raise Rejected("not a 10-K", f"it has no cover page of one; it begins with {begins[:80]!r}")


def _normal(written: str) -> str:
    """Return a form's name as EDGAR writes it: 10-K405/A for `10 - K 405 A`."""
    letters = "".join(filter(str.isalnum, written)).upper()
    if not letters.startswith(("10K", "10Q")):
        return written.upper()
    return _amended(f"10-{letters[2:].removesuffix('A')}", letters.endswith("A"))


def _count_marks(text: str) -> int:
    """Count a cover's phrases."""
    text = " ".join(text.lower().split()).replace("sections", "section")
    marks = [any(phrase in text for phrase in phrases) for phrases in _COVER_MARKS]
    return sum(marks) + marks[0]


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
        until = text[found.end() : found.end() + 60].lower().partition("transition")[0]
        if ended := _written_date(until):
            return ended
    return None


def _written_date(text: str) -> date | None:
    """Return the first date of a text, in any form that is clear; `01/02/22` is January 2."""
    matches = [match for form in _DATES if (match := form.search(text))]
    if not matches:
        return None
    first = min(matches, key=lambda match: match.start())
    day, month, year = (re.sub(r"\s", "", first[name]) for name in ("day", "month", "year"))
    if len(year) == 2:
        year = ("19" if year > "89" else "20") + year
    if not month.isdecimal():
        month = str(_MONTHS.index(month.lower()) + 1)
    return _date(f"{year}-{month:0>2}-{day:0>2}")


def _compact_date(digits: str | None) -> date | None:
    return _date(digits) if digits and re.fullmatch(r"\d{8}", digits) else None


def _date(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:  # covers do say February 30
        return None
