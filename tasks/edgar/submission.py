"""What stands around a filing's main document: SGML header, sibling documents, wrappers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.edgar.files import Rejected

# 10-K405: a box on late insider reports was ticked (until 2002); 10-KSB: small business
# (until 2009); 10-KT: a transition period.
_ANNUAL = re.compile(r"10-?K(?:SB(?:40)?|405|T(?:405)?)?(?:/A)?", re.IGNORECASE)
_HEADER_END = re.compile(r"</(?:SEC|IMS)-HEADER>|<DOCUMENT>", re.IGNORECASE)
_HEADER_FIELD = re.compile(r"^[ \t]*([A-Z][A-Z /]+):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_DOCUMENT = re.compile(r"<DOCUMENT>(.*?)(?:</DOCUMENT>|(?=<DOCUMENT>)|\Z)", re.DOTALL | re.IGNORECASE)
_TYPE = re.compile(r"<TYPE>\s*([^\s<]+)", re.IGNORECASE)
_TEXT = re.compile(r"<TEXT>\n?(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
_WRAPPER = re.compile(r"\s*<(?:XBRL|XML)>\s*|\s*</(?:XBRL|XML)>\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Submission:
    """The main document of a filing, and what its wrapper says about it."""

    text: str
    form: str | None  # from <TYPE> or the header
    header: Mapping[str, str]  # first value of each SGML header field, by its name


def is_annual(form: str) -> bool:
    """Whether a form type is an annual report's."""
    return bool(_ANNUAL.fullmatch(form))


def read_submission(source: str) -> Submission:
    """The annual report in a file: chosen by <TYPE> among a submission's documents, or the file itself.

    Raises:
        Rejected: the file has documents, and none of them is an annual report.
    """
    head = source[:2000].upper()
    has_documents = "<DOCUMENT>" in head or "-HEADER>" in head or "<SEC-DOCUMENT>" in head
    if not has_documents:
        return Submission(source, None, {})
    end = _HEADER_END.search(source)
    header: dict[str, str] = {}
    for name, value in _HEADER_FIELD.findall(source[: end.start() if end else 0]):
        header.setdefault(name.strip(), value)
    types = []
    for document in _DOCUMENT.finditer(source):
        found = _TYPE.search(document[1][:2000])
        form = found[1].upper() if found else ""
        if is_annual(form):
            return Submission(_body(document[1]), form, header)
        types.append(form or "no type")
    declared = header.get("CONFORMED SUBMISSION TYPE") or header.get("FORM TYPE")
    if not types and declared and is_annual(declared):
        return Submission(source[end.end() if end else 0 :], declared.upper(), header)
    raise Rejected("not a 10-K", f"form {declared or 'unknown'}; documents: {', '.join(types[:5]) or 'none'}")


def _body(document: str) -> str:
    """A document's content, without its SGML head."""
    found = _TEXT.search(document)
    return _WRAPPER.sub("", found[1] if found else document)
