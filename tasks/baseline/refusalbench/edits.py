"""Edits of a passage that plays name: what is cut, and where a sentence is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tasks.baseline.refusalbench.question import Question
from tasks.quantities.figures import FULL_MONTHS
from tasks.quantities.text_tables import find_tables
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.proofs.derivable import keeps
from tasks.suites.refusalbench.proofs.numbers import (
    is_row,
    numbers_in,
    sentence_spans,
)
from tasks.suites.shared.phrases import YEAR
from tasks.text.sentences import Span
from tasks.text.terms import content_terms

_REPEATS = re.compile(r"(?:The|Of the) (?:\w+ )?(?:\w+ )?\w+")  # `The plan`, of a plan named before
_PERSON = re.compile(r"\b(?:Mr|Ms|Mrs|Dr)\. ([A-Z][\w’'-]+)")
_BRACKETS = re.compile(r" \((?=[^()]*[A-Za-z]{3,} [A-Za-z])[^()]{8,160}\)(?!\w)")
_DEFINES = re.compile(
    r"[“”\"]|\b(?:collectively|together|hereinafter|net of|excluding|including)\b"
)
_UNITS = re.compile(r"\b(?:in (?:thousands|millions|billions)|except|unaudited)\b", re.IGNORECASE)
# What a figure is compared with, up to the end of its sentence or to a reason.
_COMPARISON = re.compile(
    r",? (?:compared (?:to|with)|versus|(?:up|down) from)"
    r"(?:(?! (?:and|primarily|due|mainly|because|which) |, [a-z])(?:[^.;()]|\.(?=\d)))*"
    r"(?=\.(?:\s|\Z)| (?:primarily|due|mainly|because) )"
)
# `a` and `an` must fit the word after it, too; after `no` and `more` it says how much
_ADJECTIVE = re.compile(
    r"(?:(?<=\ba )(?![aeiou])|(?<=[a-z]{2} )(?<!\b(?:an|no) )(?<!\b(?:not|any) )(?<!\bmore )"
    r"(?<!\bvery )(?<!\bmost )(?<!\band )(?<!\bor ))"
    r"(?:strong|rapid|considerable|important|unique|extensive|innovative|attractive|severe|sharp"
    r"|robust|successful|notable|vigorous|dynamic|renowned|beautiful|powerful|modern|impressive"
    r"|exciting|talented) (?=[b-df-hj-np-tv-z][a-z]{3})"
)
_ONLY_YEAR = re.compile(r"(?:fiscal )?(?:year )?\d{4}")
# A year that ends in January or February may be named for the one before it.
_FULL_DATE = re.compile(
    rf"(?:(?<=\b[Ii]n )|(?<=\b[Yy]ear )ended )(?!Jan|Feb)(?:{FULL_MONTHS}) "
    r"(?:\d{1,2}, )?(?=\d{4}\b)"
)
_ARTICLE = re.compile(r"\b(?:an?|the|this|that|our|its)\s\Z", re.IGNORECASE)
# What goes with a figure before it: `a record U.S.$2.5 billion`.
_LEADS = re.compile(
    r"(?:\b(?:approximately|about|nearly|almost|over|more than|a record|an aggregate(?: of)?"
    r"|a total of|U\.S\.)\s?)+\Z"
)
# What a figure or a date hangs on, so that the sentence stands without both.
_HANGS = re.compile(
    r"(?:(?<=increased)|(?<=decreased)|(?<=declined)|(?<=rose)|(?<=fell)|(?<=grew)) (?:by )?\Z"
    r"| of \Z| (?:in|on) \Z|(?<=had) \Z|(?<=have) \Z|(?<=were) \Z|(?<=employed) \Z"
    r"|(?<=operated) \Z|(?<=owned) \Z| for \Z"
)
_WHOLE = re.compile(r"(?:\(\w{1,2}\)\s)?[A-Z].*\.\Z", re.DOTALL)
_POINTS = re.compile(r"\b(?:pages?|notes?|items?|parts?) \d|\bages?\b|, \d\d, ", re.IGNORECASE)
# A sentence that speaks of what an earlier one said, so that nothing may come between.
_FOLLOWS_ON = re.compile(
    r"(?:\W*(?:this|these|those|such|that|it|they|its|their|both|of (?:this|these|the)|as a result"
    r"|he|she|his|her|another|others?|likewise|for (?:example|instance)"
    r"|in addition|additionally|also|however|consequently|accordingly|therefore|similarly"
    r"|furthermore|moreover|conversely|the (?:increase|decrease|decline|change|growth|reduction"
    r"|improvement|remainder|remaining|balance|difference|primary|main|former|latter)"
    r"|included in|contributing|partially|partly|offset(?:ting)?)"
    r"\b|[^.,]{0,40}(?:,? (?:he|she)|, (?:it|they))\b|[^.]{0,40}\bof (?:these|those|this|which)\b"
    r"|(?-i:[a-z•(])|\W+\Z)",
    re.IGNORECASE,
)


def added(text: str, start: int | None, addition: str) -> str:
    """Add sentences after the one at a place and those that lean on it, or at the end.

    After a table's row, they become a paragraph of their own below the table.
    """
    sentences = sentence_spans(text)
    whole = [each for each in sentences if text[: each.end_char].endswith(".")]
    where = (
        [*sentences, *whole][-1]
        if start is None
        else next(each for each in sentences if start < each.end_char)
    )
    if is_row(_said(text, where)):
        end = _end_of_table(text, where.end_char)
        return f"{text[:end]}\n\n{addition}{text[end:]}"
    for each in sentences:
        following = text[each.start_char : each.end_char]
        is_next = each.start_char >= where.end_char and not is_row(following)
        if is_next and "\n\n" not in text[where.end_char : each.start_char]:
            if not _FOLLOWS_ON.match(following):
                break
            where = each
    end = where.end_char
    longer = f"{text[:end]} {addition}{text[end:]}"
    is_apart = len(sentence_spans(longer)) == len(sentences) + len(sentence_spans(addition))
    return longer if is_apart else f"{text[:end]}\n\n{addition}\n\n{text[end:].lstrip()}".rstrip()


def _end_of_table(text: str, place: int) -> int:
    """Return where the table around a place ends, past empty lines between its rows."""
    end = place
    for paragraph in re.finditer(r"(?s).+?(?=\s*\n\s*\n|\s*\Z)", text[place:]):
        if paragraph.start() and not is_row(paragraph[0].strip("\n").partition("\n")[0]):
            break
        end = place + paragraph.end()
    return end


def _without(text: str, cut: Iterable[Span]) -> str:
    """Remove sentences, with the whitespace that they leave."""
    for start, end in sorted(cut, reverse=True):
        before, after = text[:start], text[end:]
        at_line = not before or before.endswith("\n")
        if at_line and before.endswith("\n\n") and after.startswith("\n\n"):
            text = before + after[2:]
            continue
        text = before + (after.lstrip(" ").removeprefix("\n") if at_line else after.lstrip(" "))
        if not at_line and after[:1] in ("", "\n"):
            text = before.rstrip(" ") + after
    return text.strip("\n ")


def _holds(span: Span, places: Iterable[tuple[int, int]]) -> bool:
    return any(span.start_char < end and start < span.end_char for start, end in places)


def _said(text: str, span: Span) -> str:
    return text[span.start_char : span.end_char]


def _is_needed(text: str, span: Span) -> bool:
    """Whether the sentences after one lean on it, or name a person whom it introduces."""
    sentence, rest = _said(text, span), text[span.end_char :]
    if any(name in _PERSON.findall(rest) for name in re.findall(r"[A-Z][\w’'-]+", sentence)):
        return True
    if rest.lstrip(" ")[:1] in ("", "\n"):
        return bool(re.match(r"\s*(?:These|Those|This|That|Such|He|She|It|They)\b", rest))
    following = next(each for each in sentence_spans(text) if each.start_char >= span.end_char)
    said = _said(text, following)
    repeated = _REPEATS.match(said)
    terms = set(content_terms(repeated[0])) if repeated else set()
    return bool(_FOLLOWS_ON.match(said)) or not terms.isdisjoint(content_terms(sentence))


def _statements(text: str, question: Question) -> list[Span] | None:
    """Return the sentences that state the answer; None if one is a row, or others lean on it."""
    spans = question.traces(text)
    found = [each for each in sentence_spans(text) if _holds(each, spans)]
    is_prose = all(_WHOLE.match(_said(text, each)) for each in found)
    if not found or not is_prose or any(is_row(_said(text, each)) for each in found):
        return None
    if _is_of_others(text, question):
        return None
    return None if any(_is_needed(text, each) for each in found) else found


def cut_answer(text: str, question: Question) -> str:
    """Cut every sentence that states the answer, if the rest still treats the subject."""
    left = _without(text, _statements(text, question) or ())
    subject = question.asked.get("measure") or question.query
    terms = set(content_terms(subject))
    body = left.partition("\n")[2] if left.startswith("[") else left
    return left if 2 * len(terms & set(content_terms(body))) >= len(terms) else text


def pointed(text: str, question: Question, pointer: str) -> str:
    """Put a pointer in place of the sentence that states the answer; cut others that state it."""
    for place, (start, end) in reversed(list(enumerate(_statements(text, question) or ()))):
        text = _without(text, [Span(start, end)]) if place else text[:start] + pointer + text[end:]
    return text


def replaced(text: str, other: str) -> str:
    """Put another text in place of a passage's, below its head."""
    head, mark, _ = text.partition("\n")
    return f"{head}{mark}{other}" if head.startswith("[") else other


def _is_of_others(text: str, question: Question) -> bool:
    """Whether a sentence has the answer's figure of something else: `and also rose by 2%`."""
    terms = set(content_terms(question.asked.get("measure") or question.query))
    spans = question.traces(text)
    said = [
        terms & set(content_terms(_said(text, each)))
        for each in sentence_spans(text)
        if _holds(each, spans)
    ]
    return any(each != said[0] for each in said)


def blanked(text: str, question: Question, replacement: str) -> str:
    """Put words in place of the answer."""
    if _is_of_others(text, question):
        return text
    for start, end in reversed(question.traces(text)):
        if replacement[:3] == "an " and _ARTICLE.search(text[:start]):
            return text  # `a $5 million charge`
        text = _LEADS.sub("", text[:start]) + replacement + text[end:]
    return text


def purge(text: str, question: Question) -> str:
    """Take the answer's figure or date out of each sentence, if the sentence stands without it."""
    shorter = text
    for start, end in reversed(question.traces(text)):
        before, after = _LEADS.sub("", shorter[:start]), shorter[end:]
        if re.search(r"\b(?:accounted for|represented) \Z", before) and after.startswith(" of "):
            shorter = f"{before}part{after}"
            continue
        hangs = _HANGS.search(before)
        is_of_change = re.search(r"\b(?:increase|decrease|decline|growth) of \Z", before)
        is_date = not question.asked and question.query.startswith("When ")
        is_price = question.query.startswith("How much did ")
        is_fit = hangs and {
            " of ": bool(is_of_change),
            " in ": is_date,
            " on ": is_date,
            " for ": is_price,
            " ": question.query.startswith("How many ") and bool(re.match(" [a-z]", after)),
        }.get(hangs[0], "By what " in question.query)
        if hangs is None or not is_fit or re.match(r",? (?:or|and|to|of) |,? \(|, \d", after):
            return text
        gap = " " if hangs[0] == " " else ""
        shorter = before[: hangs.start()] + gap + (after.lstrip(" ") if gap else after)
    return shorter


def empty_cell(text: str, question: Question) -> str:
    """Empty the cells that state the answer; without a proof that it is gone, no case is made."""
    for start, end in reversed(question.traces(text)):
        text = _gap(text, start, end)
    return text


def _gap(text: str, start: int, end: int) -> str:
    """Empty a cell; between bars it keeps no width, in a column of blanks it keeps its own."""
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    if " | " not in line:
        return text[:start] + " " * (end - start) + text[end:]
    return text[:start].rstrip(" ") + text[end:]


def cut_rows(text: str, question: Question) -> str:
    """Cut all rows of the table that states the answer, if nothing else states it."""
    spans = question.traces(text)
    for table in find_tables(text):
        start, end = table.rows[0].start_char, table.end_char
        if not spans or any(not start <= place < end for place, _ in spans):
            continue
        head = text[:start].rstrip().split("\n")
        while head and not YEAR.search(head[-1]) and not _UNITS.search(head[-1]):
            head.pop()  # a section's label
        if len(head) > 1 or (head and not head[0].startswith("[")):
            return ("\n".join(head) + text[end:]).strip()
    return text


def cut_statistic(text: str, question: Question) -> str:
    """Cut a comparison, or a paragraph's last sentence, whose figures are not what is asked."""
    spans = question.spans(text)
    for found in _COMPARISON.finditer(text):
        of = next(each for each in sentence_spans(text) if each.end_char >= found.end() - 1)
        is_list = re.search(r"\brespectively\b", _said(text, of))
        is_used = _FOLLOWS_ON.match(text[of.end_char :].lstrip(" "))  # `The decline resulted from`
        is_own = numbers_in(found[0]) and not _holds(Span(*found.span()), spans)
        if is_own and not is_list and not is_used:
            shorter = text[: found.start()] + text[found.end() :]
            if keeps(question.base, text, shorter):
                return shorter
    for each in reversed(sentence_spans(text)):
        sentence = _said(text, each)
        is_last = text[each.end_char :].lstrip(" ")[:1] in ("", "\n")
        is_first = text[: each.start_char].rstrip(" ")[-1:] in ("", "\n")
        has_one = any(
            re.search(r"\d", figure.text)
            and (figure.unit in ("money", "percent") or abs(figure.value) >= 100)
            for figure in figures_of(sentence)
            if figure.unit != "year"
        )
        is_plain = _WHOLE.match(sentence) and not is_row(sentence) and not _POINTS.search(sentence)
        if has_one and is_plain and is_last and not is_first and not _holds(each, spans):
            shorter = _without(text, [each])
            if not _is_needed(text, each) and keeps(question.base, text, shorter):
                return shorter
    return text


def _first_match(text: str, question: Question, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Find what a pattern finds first outside the answer, with no figure in it."""
    spans = question.spans(text)
    return next(
        (
            found
            for found in pattern.finditer(text)
            if not _holds(Span(*found.span()), spans)
            and not figures_of(found[0])
            and not _UNITS.search(found[0])
        ),
        None,
    )


def cut_brackets(text: str, question: Question) -> str:
    """Cut the first remark in brackets that defines no term and limits no figure."""
    spans = question.spans(text)
    for each in sentence_spans(text):
        sentence = _said(text, each)
        found = _BRACKETS.search(sentence)
        if found is None or is_row(sentence) or not sentence.endswith("."):
            continue
        start, end = (each.start_char + at for at in found.span())
        is_name = not re.search(r"[ (][a-z]{3}", found[0])  # a short name, used further on
        is_remark = not is_name and not _DEFINES.search(found[0]) and not _UNITS.search(found[0])
        shorter = text[:start] + text[end:]
        if (
            is_remark
            and not _holds(Span(start, end), spans)
            and keeps(question.base, text, shorter)
        ):
            return shorter
    return text


def cut_adjective(text: str, question: Question) -> str:
    """Cut the first adjective that only describes."""
    found = _first_match(text, question, _ADJECTIVE)
    return text[: found.start()] + text[found.end() :] if found else text


def trim_date(text: str, question: Question) -> str:
    """Shorten the first full date outside the answer to its year, if the query asks for a year."""
    asked_for = question.asked.get("period", "")
    found = _first_match(text, question, _FULL_DATE) if _ONLY_YEAR.fullmatch(asked_for) else None
    shorter = text[: found.start()] + text[found.end() :] if found else text
    return shorter if keeps(question.base, text, shorter) else text


EDITS: Mapping[str, Callable[[str, Question], str]] = {
    edit.__name__: edit
    for edit in (
        cut_answer,
        purge,
        empty_cell,
        cut_rows,
        cut_statistic,
        cut_brackets,
        cut_adjective,
        trim_date,
    )
}
