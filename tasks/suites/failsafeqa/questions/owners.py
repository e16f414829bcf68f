"""Figures that a table gives for another: a subsidiary, a segment, a customer, a part.

"Ford Credit's finance receivables were as follows" makes a cell no figure of Ford Motor. Nor is a
row's below the line "Automotive", where notes are headed "Liabilities - Automotive", or one of
"condensed financial information of the registrant", which is the parent company alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache

from tasks.quantities.figures import FULL_MONTHS, Figure, find_figures, same_figure
from tasks.quantities.text_tables import find_tables, stated_value
from tasks.suites.failsafeqa.questions.subject import names_company
from tasks.text.terms import words

_BEFORE = 500  # characters before a table's first row that may introduce it
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z*(])")
_HEADS = re.compile(
    rf"<\w+>|\b(?:for the|fiscal|years?|ended|or|and|at|as of|{FULL_MONTHS})\b|[^a-z]",
    re.IGNORECASE,
)
_NAME = r"((?:[A-Z][\w&-]*\s(?:of\s)?){0,4}[A-Z][\w&-]*)"
_OWNER = re.compile(
    rf"\b{_NAME}(?:['’]s|(?<=s)['’])(?=\s)"
    rf"|\bfinancial (?:information|data|position|results) (?:for|of) {_NAME}"
)
# `NOTE 7. Liabilities - Automotive`: a note, and the part of the company that it is about.
_NOTE = re.compile(r"(?:notes?\s+\d{1,2}|\d{1,2}[.)])[\s.:|]+[A-Z][^\d|]*\Z", re.IGNORECASE)
_PART = re.compile(r"\w\s*(?:\s[-–]|[—]|--)\s+([A-Z][a-z]+(?: [A-Z][a-z]+){0,2})\Z")
_OF_ALL = re.compile(r"(?:consolidated|combined|total company)\b[^\d|]*", re.IGNORECASE)
# Headings of statements of the parent company alone, or of a subsidiary; and what ends those.
_ALONE = re.compile(
    r"[^|\d]{0,60}\(parent(?: company)?(?: only)?\)"
    r"|(?:schedule \w+\W+)?condensed financial (?:information|statements) of (?:the )?"
    r"(?P<owner>parent|registrant|subsidiar(?:y|ies))(?: company)?",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r".*\band (?:consolidated )?subsidiaries|(?:schedule|item|exhibit|signature)s?\b.*",
    re.IGNORECASE,
)
_PARENT, _SUBSIDIARY = "parent", "subsidiary"  # owners, as a query would name them
_LINE = re.compile(r"[^\n]+")
# What reports call themselves, their people and their times, which is nobody else.
_OWN = words("""
    the our company companies registrant corporation trust partnership partnerships fund group bank
    issuer firm association organization management board
""")
_PEOPLE = words("""
    stockholder shareholder stockholders shareholders shareowners unitholders partners auditor
    auditors directors officers employees participants year quarter
""") | frozenset(FULL_MONTHS.lower().split("|"))


def other_owner(context: str, query: str, answer: str, company: str) -> str | None:
    """Return whose an answer's figure is if the context gives it only for another, or None.

    None also if the figure's sentence names that owner, or only the query does.
    """
    for sentence in re.split(rf"\n|{_SENTENCE_END.pattern}", answer):
        for figure in find_figures(sentence):
            if figure.unit == "year":
                continue
            found = [
                (owner, said)
                for owner, said, figures in _stated(context)
                if any(_states(other, figure) for other in figures)
            ]
            # Where nothing says the answer's label, the same number is something else.
            labels = {said for _, said in found if said and said in sentence.lower()}
            owners = {
                owner
                for owner, said in found
                if not labels or any(label in said for label in labels)
            }
            if owners and not any(owner is None or _is_same(owner, company) for owner in owners):
                owner = min(str(owner) for owner in owners)
                # An answer that names the owner once may leave it out beside another figure.
                named_in = sentence if owner.lower() in answer.lower() else query
                if owner.lower() not in named_in.lower():
                    return owner
    return None


def _states(stated: Figure, figure: Figure) -> bool:
    """Check that a figure is the same, and not only rounded to another's size."""
    is_exact = stated.decimals >= figure.decimals or abs(stated.value) == abs(figure.value)
    return is_exact and same_figure(figure, stated)


def _is_same(owner: str, company: str) -> bool:
    parts = set(re.findall(r"[\w&-]+", owner.lower())) - _OWN
    if parts <= set(re.findall(r"[\w&-]+", company.lower())):
        return True  # Disney of Walt Disney; Ford Credit has a word more than Ford Motor
    return len(parts) == 1 and names_company(owner, company)


@lru_cache(maxsize=4)  # a context's answers come together
def _stated(context: str) -> tuple[tuple[str | None, str, tuple[Figure, ...]], ...]:
    """Return the owner, words and figures of each row and sentence.

    A row's words are its label; all are in lower case.
    """
    found: list[tuple[str | None, str, tuple[Figure, ...]]] = []
    prose = context
    starts, parts = _parts(context)
    names = sorted({name for name in parts if name}, key=lambda name: (-len(name), name))
    for table in find_tables(context):
        blank = " " * (table.end_char - table.start_char)
        prose = prose[: table.start_char] + blank + prose[table.end_char :]
        first = table.rows[0].start_char
        led_in = _owner(context[max(0, first - _BEFORE) : first], table.rows[0].section)
        for row in table.rows:
            values = (stated_value(table, row, column) for column in range(len(row.values)))
            figures = tuple(figure for value in values for figure in find_figures(value or ""))
            part = parts[bisect_right(starts, row.start_char) - 1]
            of_label = (name for name in names if row.label.startswith(f"{name} "))
            found.append((led_in or next(of_label, part), row.label.lower(), figures))
    for start, end, part in zip(starts, [*starts[1:], len(context)], parts, strict=True):
        for sentence in _SENTENCE_END.split(" ".join(prose[start:end].split())):
            if figures := tuple(find_figures(sentence)):
                found.append((part, sentence.lower(), figures))
    return tuple(found)


def _parts(context: str) -> tuple[list[int], list[str | None]]:
    """Say of which part of the company the lines of a context are: where, and from there which.

    A part is named by the heading of a note, after a dash, and by two lines that stand alone. It
    ends with its total, the next part or note, and a heading of the whole. Statements of the parent
    company alone, or of a subsidiary, are a part up to the next schedule.
    """
    lines = [(found.start(), found.group().strip(" |\t\r:")) for found in _LINE.finditer(context)]
    of_notes = {start: _PART.search(line) for start, line in lines if _NOTE.match(line)}
    times = Counter(line.lower() for _, line in lines)
    headed = {part[1] for part in of_notes.values() if part}
    names = {name.lower(): name for name in headed if times[name.lower()] > 1}
    starts: list[int] = [0]
    parts: list[str | None] = [None]
    owner: str | None
    for start, line in lines:
        if alone := _ALONE.fullmatch(line):
            is_subsidiary = (alone["owner"] or "").lower().startswith("subsidiar")
            owner = _SUBSIDIARY if is_subsidiary else _PARENT
        elif start in of_notes and parts[-1] not in (_PARENT, _SUBSIDIARY):
            part = of_notes[start]
            owner = names.get(part[1].lower()) if part else None
        elif line.lower() in names:
            owner = names[line.lower()]
        elif parts[-1] and _ends(line, parts[-1]):
            start, owner = start + len(line), None
        else:
            continue
        starts.append(start)
        parts.append(owner)
    return starts, parts


def _ends(line: str, part: str) -> bool:
    if part in (_PARENT, _SUBSIDIARY):
        return bool(_NEXT.fullmatch(line) or _OF_ALL.fullmatch(line))
    return line.startswith(f"Total {part} ") or line.isupper() or bool(_OF_ALL.fullmatch(line))


def _owner(before: str, section: str) -> str | None:
    """Find the last owner that a table's lead-in names; None if it is the company itself.

    Column heads and the first row's section may stand between the lead-in and the rows.
    """
    lines = before.rstrip().split("\n")
    while lines and (not _HEADS.sub("", lines[-1]) or lines[-1].strip() == section):
        lines.pop()
    lead_in = _SENTENCE_END.split(" ".join(" ".join(lines).split()))[-1]
    for names in reversed(_OWNER.findall(lead_in)):
        kept = re.sub(r"\A(?:The|Our|At|In|For|Of)\s", "", "".join(names))
        parts = kept.lower().split()
        if parts[-1] not in _PEOPLE and not set(parts) <= _OWN:
            return kept
    return None
