"""Unwrap a submission: SGML header, sibling documents, main document."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.filings.reader.files import Rejected

# 10-K405: with a box ticked on late insider reports (until 2002); 10-KSB: of a small business
# (until 2009); 10-KT: of a transition period.
_ANNUAL = ("10K", "10K405", "10KSB", "10KSB40", "10KT", "10KT405")
_TYPE = re.compile(r"<TYPE>\s*([^\s<]+)", re.IGNORECASE)
_COPY = re.compile(r"(?:<TEXT>|\s)*(?:<(?:PDF|ZIP|EXCEL)>|begin [0-7]{3} )", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Submission:
    """The main document of a filing, and what its wrapper says of it."""

    text: str
    form: str | None  # from <TYPE> or the header
    header: Mapping[str, str]  # first value of each SGML header field, by its name
    sections: Mapping[str, str] | None = None  # texts by Item, if they are given


def is_annual(form: str) -> bool:
    """Whether a form type is an annual report's."""
    return form.upper().removesuffix("/A").replace("10-K", "10K") in _ANNUAL


def type_of(source: str, start: int = 0) -> str:
    """Return the type of the next document of a submission, in capitals, "" if it states none."""
    place = max(source.find("<DOCUMENT>", start), start)
    match = _TYPE.search(source, place, place + 2000)
    return match[1].upper() if match else ""


def read_submission(source: str) -> Submission:
    """Return the Form 10-K of a submission, chosen by <TYPE>, or the file itself.

    A PDF or another copy in code of a document is none.

    Raises:
        Rejected: the file has documents, but none of them is an annual report.
    """
    start = source.find("<DOCUMENT>")
    header_end = source.find("-HEADER>", source.find("-HEADER>", 0, 4000) + 1, 100_000)
    if start < 0 and header_end < 0:
        return Submission(source, None, {})
    header = read_header(source, start if start >= 0 else header_end)
    types = []
    main: tuple[str, str] | None = None
    while start >= 0:
        following = source.find("<DOCUMENT>", start + 10)
        end = following if following >= 0 else len(source)
        form = type_of(source, start)
        in_code = is_copy(source, start, end)
        if main is None and is_annual(form) and not in_code:
            main = (form, _body(source, start + 10, end))
        types.append(f"{form or 'no type'}{' (in code)' if in_code else ''}")
        start = following
    if main is not None:
        return Submission(main[1], main[0], header)
    declared = header.get("CONFORMED SUBMISSION TYPE") or header.get("FORM TYPE")
    if not types and declared and is_annual(declared):
        return Submission(source[header_end + len("-HEADER>") :], declared.upper(), header)
    raise Rejected(
        "not a 10-K", f"form {declared or 'unknown'}; documents: {', '.join(types[:5]) or 'none'}"
    )


def read_header(source: str, end: int) -> dict[str, str]:
    """Return the first value of each SGML header field before `end`, by name."""
    header: dict[str, str] = {}
    for line in source[:end].split("\n"):
        name, _, value = (part.strip() for part in line.partition(":"))
        if value:
            header.setdefault(name, value)
    return header


def is_copy(source: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether a document is in code, such as a PDF copy of one that the submission has as text."""
    text = source.find("<TEXT>", start, end)
    return text >= 0 and bool(_COPY.match(source, text, end))


def _body(source: str, start: int, end: int) -> str:
    """Return the text between a document's <TEXT> and </TEXT>."""
    text = source.find("<TEXT>", start, end)
    start = text + len("<TEXT>") if text >= 0 else start
    for closing in ("</TEXT>", "</DOCUMENT>"):
        if (closed := source.rfind(closing, start, end)) >= 0:
            end = closed
    return source[start:end]
