"""Edits of a passage that plays name: what is cut, and where a sentence is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tasks.baseline.phrases import YEAR
from tasks.baseline.refusalbench.question import Question
from tasks.quantities.figures import FULL_MONTHS, find_figures
from tasks.text.sentences import Span, split_sentences
from tasks.text.terms import content_terms

_ROW = re.compile(r" \| |\S(?: {3,}|\t+)[$(]*\d|\.{4,}|(?:\. ){4}")
_LEANS = re.compile(
    r"(?:this|these|those|such|that|it|they|of (?:this|these)|both)\b", re.IGNORECASE
)
_BRACKETS = re.compile(r" \((?=[^()]*[A-Za-z]{3,} [A-Za-z])[^()]{8,160}\)(?!\w)")
_UNITS = re.compile(
    r"\b(?:in (?:thousands|millions|billions)|except|000|unaudited)\b", re.IGNORECASE
)
_INTRODUCTION = re.compile(
    r"(?:However|In addition|Additionally|Furthermore|Moreover|Accordingly|As a result|Therefore"
    r"|Consequently|In general|Generally|Historically|Currently|To date|In particular"
    r"|Nevertheless|Also|Similarly|In our opinion|As discussed (?:above|below)), (?=\w)"
)
_EXAMPLE = re.compile(
    r",? (?:such as|including|for example,?|e\.g\.,?) [^.;:()$%\d]{4,200}?(?=\.(?:\s|\Z)|;)"
)
_MONTH = re.compile(rf"\b(?:([Oo])n|([Ii])n) (?:{FULL_MONTHS})(?: \d{{1,2}},)? (?=(?:19|20)\d\d\b)")


def is_row(sentence: str) -> bool:
    """Whether a sentence is a table's row."""
    return bool(_ROW.search(sentence))


def added(text: str, spans: Iterable[tuple[int, int]], addition: str) -> str:
    """Add sentences after the sentence that states the answer, or at the end if none does.

    After a table's row, they become a paragraph of their own below the table.
    """
    starts = [start for start, _ in spans]
    sentences = split_sentences(text)
    if not starts:
        last = sentences[-1] if sentences else Span(0, 0)
        gap = "\n\n" if is_row(text[last.start_char : last.end_char]) else " "
        return text.rstrip() + gap + addition
    where = next(each for each in sentences if starts[0] < each.end_char)
    end, gap = where.end_char, " "
    if is_row(text[where.start_char : end]):
        below = text.find("\n\n", end)
        end, gap = (len(text.rstrip()) if below < 0 else below), "\n\n"
    return f"{text[:end]}{gap}{addition}{text[end:]}"


def _without(text: str, cut: Iterable[Span]) -> str:
    """Remove sentences, with the whitespace that they leave."""
    for start, end in sorted(cut, reverse=True):
        before, after = text[:start], text[end:]
        at_line = not before or before.endswith("\n")
        text = before + (after.lstrip(" ").removeprefix("\n") if at_line else after.lstrip(" "))
        if not at_line and after[:1] in ("", "\n"):
            text = before.rstrip(" ") + after
    return text.strip("\n ")


def _holds(span: Span, places: Iterable[tuple[int, int]]) -> bool:
    return any(span.start_char < end and start < span.end_char for start, end in places)


def cut_answer(text: str, question: Question) -> str:
    """Cut every sentence and row that states the answer."""
    spans = question.spans(text)
    return _without(text, [each for each in split_sentences(text) if _holds(each, spans)])


def cut_subject(text: str, question: Question) -> str:
    """Cut every sentence and row that states the answer or speaks of the measure."""
    spans = question.spans(text)
    measure = set(content_terms(question.asked.get("measure", "")))
    return _without(
        text,
        [
            each
            for each in split_sentences(text)
            if _holds(each, spans)
            or (measure and measure <= set(content_terms(text[each.start_char : each.end_char])))
        ],
    )


def empty_cell(text: str, question: Question) -> str:
    """Empty the table's cells that state the answer; nothing if a sentence states it, too."""
    spans, sentences = question.spans(text), split_sentences(text)
    holding = [each for each in sentences if _holds(each, spans)]
    if not all(is_row(text[each.start_char : each.end_char]) for each in holding):
        return text
    for start, end in reversed(spans):
        text = text[:start] + "n/a" + text[end:]
    return text


def cut_rows(text: str, question: Question) -> str:
    """Cut every row that has a figure, if a row states the answer."""
    spans, sentences = question.spans(text), split_sentences(text)
    rows = [
        each
        for each in sentences
        if is_row(text[each.start_char : each.end_char])
        and any(
            figure.unit != "year" for figure in find_figures(text[each.start_char : each.end_char])
        )
    ]
    holding = [each for each in sentences if _holds(each, spans)]
    return _without(text, rows) if all(each in rows for each in holding) else text


def cut_statistic(text: str, question: Question) -> str:
    """Cut the last sentence or row whose figures are not what is asked."""
    spans, sentences = question.spans(text), split_sentences(text)
    asked = set(content_terms(question.asked.get("measure", question.query)))
    for each, following in reversed(list(zip(sentences, [*sentences[1:], None], strict=True))):
        sentence = text[each.start_char : each.end_char]
        follows = text[following.start_char : following.end_char] if following else ""
        figures = [figure for figure in find_figures(sentence) if figure.unit != "year"]
        if (
            figures
            and not _holds(each, spans)
            and not _LEANS.match(follows)
            and not asked <= set(content_terms(sentence))
            and (is_row(sentence) or sentence.endswith("."))
            and not _UNITS.search(sentence)
        ):
            return _without(text, [each])
    return text


def cut_sentence(text: str, question: Question) -> str:
    """Cut the last sentence without figures on which nothing depends."""
    spans, sentences = question.spans(text), split_sentences(text)
    for each, following in reversed(list(zip(sentences, [*sentences[1:], None], strict=True))):
        sentence = text[each.start_char : each.end_char]
        follows = text[following.start_char : following.end_char] if following else ""
        is_prose = sentence.endswith(".") and sentence[:1].isupper() and not is_row(sentence)
        if (
            is_prose
            and len(sentence.split()) > 5
            and not _holds(each, spans)
            and not find_figures(sentence)
            and not _LEANS.match(follows)
            and not _UNITS.search(sentence)
        ):
            return _without(text, [each])
    return text


def _first_match(text: str, question: Question, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Find what a pattern finds first outside the answer, with no figure in it."""
    spans = question.spans(text)
    return next(
        (
            found
            for found in pattern.finditer(text)
            if not _holds(Span(*found.span()), spans)
            and not find_figures(found[0])
            and not _UNITS.search(found[0])
        ),
        None,
    )


def cut_brackets(text: str, question: Question) -> str:
    """Cut the first remark in brackets."""
    found = _first_match(text, question, _BRACKETS)
    return text[: found.start()] + text[found.end() :] if found else text


def cut_example(text: str, question: Question) -> str:
    """Cut the first list of examples at the end of a sentence."""
    found = _first_match(text, question, _EXAMPLE)
    return text[: found.start()] + text[found.end() :] if found else text


def cut_introduction(text: str, question: Question) -> str:
    """Cut the first word or phrase that only introduces a sentence."""
    found = _first_match(text, question, _INTRODUCTION)
    if found is None:
        return text
    return text[: found.start()] + text[found.end()].upper() + text[found.end() + 1 :]


def trim_month(text: str, question: Question) -> str:
    """Cut the month and day of the first date that the question does not name, but not its year."""
    years = YEAR.findall(question.query)
    for found in _MONTH.finditer(text):
        if text[found.end() : found.end() + 4] not in years:
            capital = "In " if (found[1] or found[2]).isupper() else "in "
            return text[: found.start()] + capital + text[found.end() :]
    return text


EDITS: Mapping[str, Callable[[str, Question], str]] = {
    edit.__name__: edit
    for edit in (
        cut_answer,
        cut_subject,
        empty_cell,
        cut_rows,
        cut_statistic,
        cut_sentence,
        cut_brackets,
        cut_example,
        cut_introduction,
        trim_month,
    )
}
