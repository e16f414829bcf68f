"""Edits of a passage that plays name: what is cut, and where a sentence is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tasks.baseline.refusalbench.question import Question
from tasks.quantities.figures import FULL_MONTHS, MONTHS
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.proofs.absent import derivations
from tasks.suites.refusalbench.proofs.derivable import keeps
from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    asked_number,
    is_row,
    numbers_in,
    sentence_spans,
)
from tasks.suites.shared.phrases import YEAR
from tasks.text.sentences import Span
from tasks.text.terms import content_terms

_LEANS = re.compile(
    r"(?:this|these|those|such|that|it|they|of (?:this|these)|both)\b", re.IGNORECASE
)
_BRACKETS = re.compile(r" \((?=[^()]*[A-Za-z]{3,} [A-Za-z])[^()]{8,160}\)(?!\w)")
_UNITS = re.compile(r"\b(?:in (?:thousands|millions|billions)|except|unaudited)\b", re.IGNORECASE)
# A clause that opens a sentence, before the subject of the main clause.
_INTRODUCTION = re.compile(
    r"(?:(?<=\. )|(?<=\n)|\A)(?:However|In addition|Additionally|Furthermore|Moreover|Accordingly|"
    r"Therefore|Consequently|Generally|Historically|Currently|Nevertheless|Similarly"
    r"|(?:As|Because|Although|While|When|If|In|On|During|Depending|For|Under|Due|Based|To|With|Given"
    r"|Since|Through|After|Upon|Effective|Pursuant|By|At) [^.,;:()]{3,100}(?:, (?:19|20)\d\d)?), "
    r"(?=(?:the|we|our|it|these|this|there|an?|certain|all|management) \w)"
)
# What a figure is compared with, up to the end of its sentence or to a reason.
_COMPARISON = re.compile(
    r",? (?:(?:an? )?(?:increase|decrease|decline|up|down)\b|compared (?:to|with)|versus"
    r"|from (?=\$?\d)|an? [\d.]+(?:%| percent) (?:increase|decrease))"
    r"(?:(?! (?:and|primarily|due|mainly|because|which) |, [a-z])(?:[^.;()]|\.(?=\d)))*"
    r"(?=\.(?:\s|\Z)| (?:primarily|due|mainly|because) )"
)
_DAY = re.compile(rf"(?:{MONTHS})\.? \d{{1,2}}, (?=(?:19|20)\d\d\b)")
_ADJECTIVE = re.compile(  # `a` and `an` must fit the word after it, too
    r"(?:(?<=\ba )(?![aeiou])|(?<=[a-z]{2} )(?<!\ban ))(?:significant|substantial|strong|various"
    r"|rapid|continued|continuing|timely|considerable|important|critical|leading|unique|extensive"
    r"|experienced|innovative|attractive|severe|sharp|broad|robust|successful|notable|routine"
    r"|privately-held|new|global) (?=[b-df-hj-np-tv-z][a-z]{3})"
)
_EXAMPLE_WORDS = re.compile(r"\b(?:such as|including|for example|include[sd]?|for instance)\b")
_ARTICLE = re.compile(r"\b(?:an?|the|this|that|our|its)\s\Z", re.IGNORECASE)
# What goes with a figure before it: `a record U.S.$2.5 billion`.
_LEADS = re.compile(
    r"(?:\b(?:approximately|about|nearly|almost|over|more than|a record|an aggregate(?: of)?"
    r"|a total of|U\.S\.)\s?)+\Z"
)
_YEAR_ENDED = re.compile(rf"(?<=\byear )ended (?:{MONTHS})\.? \d{{1,2}}, (?=(?:19|20)\d\d\b)")
_WHOLE = re.compile(r"(?:\(\w{1,2}\)\s)?[A-Z].*\.\Z", re.DOTALL)
_POINTS = re.compile(r"\b(?:pages?|notes?|items?|parts?) \d", re.IGNORECASE)
_MONTH = re.compile(
    rf"\b(?:[Oo]n|[Ii]n|[Aa]t|[Aa]s of) (?:{FULL_MONTHS})(?: \d{{1,2}},)? (?=(?:19|20)\d\d\b)"
)


# A sentence that speaks of what an earlier one said, so that nothing may come between.
_FOLLOWS_ON = re.compile(
    r"(?:\W*(?:this|these|those|such|that|it|they|its|their|both|of (?:this|these|the)|as a result"
    r"|in addition|additionally|also|however|consequently|accordingly|therefore|similarly"
    r"|furthermore|moreover|conversely|the (?:increase|decrease|decline|change|growth|reduction"
    r"|improvement|remainder|remaining|balance|difference|primary|main|former|latter)"
    r"|included in|contributing|partially|partly|offset(?:ting)?)"
    r"\b|[^.]{0,40}\bof (?:these|those|this|which)\b|(?-i:[a-z•(])|\W+\Z)",
    re.IGNORECASE,
)


def added(text: str, spans: Iterable[tuple[int, int]], addition: str) -> str:
    """Add sentences after the one that states the answer and those that lean on it, or at the end.

    After a table's row, they become a paragraph of their own below the table.
    """
    sentences, starts = sentence_spans(text), [start for start, _ in spans]
    holding = [each for each in sentences if not starts or starts[0] < each.end_char]
    whole = [each for each in sentences if text[: each.end_char].endswith(".")]
    where = holding[0] if starts else [*sentences, *whole][-1]
    for each in sentences:
        following = text[each.start_char : each.end_char]
        is_next = each.start_char >= where.end_char and not is_row(following)
        if is_next and "\n\n" not in text[where.end_char : each.start_char]:
            if not _FOLLOWS_ON.match(following):
                break
            where = each
    end = where.end_char
    if is_row(text[where.start_char : end]):
        below = text.find("\n\n", end)
        end = len(text) if below < 0 else below
        return f"{text[:end]}\n\n{addition}{text[end:]}"
    longer = f"{text[:end]} {addition}{text[end:]}"
    is_apart = len(sentence_spans(longer)) == len(sentences) + len(sentence_spans(addition))
    return longer if is_apart else f"{text[:end]}\n\n{addition}\n\n{text[end:].lstrip()}".rstrip()


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
    """Cut every sentence and row that states the answer, and those that it follows from."""
    spans, asked = question.traces(text), asked_number(question.base)
    left = _without(text, [each for each in sentence_spans(text) if _holds(each, spans)])
    return _until_underivable(left, asked, spans[0][0] if spans else 0, _figure_sentences, "")


def blanked(text: str, question: Question, replacement: str) -> str:
    """Put words in place of the answer, and of figures that it follows from."""
    spans, asked = question.traces(text), asked_number(question.base)
    for start, end in reversed(spans):
        if replacement[:3] == "an " and _ARTICLE.search(text[:start]):
            return text  # `a $5 million charge`
        before = _LEADS.sub("", text[:start])
        text = before + replacement + text[end:]
    near = spans[0][0] if spans else 0
    return _until_underivable(text, asked, near, _figures, replacement)


def _subject(question: Question) -> str:
    return question.asked.get("measure", question.query)


def _figures(text: str) -> list[Span]:
    return [Span(number.start_char, number.end_char) for number in numbers_in(text)]


def _figure_sentences(text: str) -> list[Span]:
    return [
        each for each in sentence_spans(text) if numbers_in(text[each.start_char : each.end_char])
    ]


def _until_underivable(
    text: str,
    asked: Number | None,
    near: int,
    parts: Callable[[str], list[Span]],
    replacement: str,
) -> str:
    """Replace what is nearest of each derivation, until the asked number does not follow."""
    for _ in range(12):
        involved = next(derivations(text, asked), None) if asked else None
        if involved is None:
            break
        number = min(involved, key=lambda each: abs(each.start_char - near))
        place = (number.start_char, number.end_char)
        part = next(each for each in parts(text) if _holds(each, [place]))
        after = text[part.end_char :]
        text = (
            text[: part.start_char] + replacement + after if replacement else _without(text, [part])
        )
    return text


def cut_subject(text: str, question: Question) -> str:
    """Cut every sentence and row that states the answer or speaks of the measure."""
    spans = question.traces(text)
    measure = set(content_terms(question.asked.get("measure", "")))
    return _without(
        text,
        [
            each
            for each in sentence_spans(text)
            if _holds(each, spans)
            or (measure and measure <= set(content_terms(text[each.start_char : each.end_char])))
        ],
    )


def cut_rows(text: str, question: Question) -> str:
    """Cut every row that has a figure, if a row states the answer."""
    spans, sentences = question.traces(text), sentence_spans(text)
    rows = [
        each
        for each in sentences
        if is_row(text[each.start_char : each.end_char])
        and any(
            figure.unit != "year" for figure in figures_of(text[each.start_char : each.end_char])
        )
    ]
    holding = [each for each in sentences if _holds(each, spans)]
    return _without(text, rows) if all(each in rows for each in holding) else text


def cut_statistic(text: str, question: Question) -> str:
    """Cut the last sentence, row or comparison whose figures are not what is asked."""
    asked = set(content_terms(_subject(question)))
    asked_years = set(YEAR.findall(question.asked.get("period", question.query)))

    def is_statistic(sentence: str) -> bool:
        years = set(YEAR.findall(sentence))
        is_of_another = bool(years and asked_years and years.isdisjoint(asked_years))
        is_asked = asked <= set(content_terms(sentence)) and not is_of_another
        has_one = any(re.search(r"\d", number.text) for number in numbers_in(sentence))
        return has_one and not is_asked and not _POINTS.search(sentence)

    shorter = _cut_last(text, question, is_statistic)
    if shorter != text:
        return shorter
    spans = question.spans(text)
    for found in _COMPARISON.finditer(text):
        sentence = text[text.rfind(". ", 0, found.start()) + 1 :].partition(". ")[0]
        is_of_answer = _holds(Span(*found.span()), spans)
        if numbers_in(found[0]) and not is_of_answer and "respectively" not in sentence:
            return text[: found.start()] + text[found.end() :]
    return text


def cut_sentence(text: str, question: Question) -> str:
    """Cut the last sentence without figures, an example if there is one."""

    def is_remark(sentence: str) -> bool:
        has_figure = any(re.search(r"\d", number.text) for number in numbers_in(sentence))
        return len(sentence.split()) > 5 and not is_row(sentence) and not has_figure

    def is_example(sentence: str) -> bool:
        return is_remark(sentence) and bool(_EXAMPLE_WORDS.search(sentence))

    shorter = _cut_last(text, question, is_example)
    return shorter if shorter != text else _cut_last(text, question, is_remark)


def _cut_last(text: str, question: Question, fits: Callable[[str], bool]) -> str:
    """Cut the last sentence or row that fits, on which nothing depends."""
    spans, sentences = question.spans(text), sentence_spans(text)
    for each, following in reversed(list(zip(sentences, [*sentences[1:], None], strict=True))):
        sentence = text[each.start_char : each.end_char]
        follows = text[following.start_char : following.end_char] if following else ""
        is_whole = is_row(sentence) or bool(_WHOLE.match(sentence))
        if (
            is_whole
            and fits(sentence)
            and not _holds(each, spans)
            and not _LEANS.match(follows)
            and not _UNITS.search(sentence)
        ):
            shorter = _without(text, [each])
            if keeps(question.base, text, shorter):
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
    """Cut the first remark in brackets."""
    found = _first_match(text, question, _BRACKETS)
    return text[: found.start()] + text[found.end() :] if found else text


def cut_introduction(text: str, question: Question) -> str:
    """Cut the first word or phrase that only introduces a sentence."""
    found = _first_match(text, question, _INTRODUCTION)
    if found is None:
        return text
    return text[: found.start()] + text[found.end()].upper() + text[found.end() + 1 :]


def cut_adjective(text: str, question: Question) -> str:
    """Cut the first adjective that only describes."""
    found = _first_match(text, question, _ADJECTIVE)
    return text[: found.start()] + text[found.end() :] if found else text


def trim_month(text: str, question: Question) -> str:
    """Cut month and day of dates that the query does not ask for, but not their year.

    Of a sentence it cuts the first, of the heads of a table's columns all.
    """
    asked = f"{question.query} {question.asked.get('period', '')}"
    spans = question.spans(text)
    kept = YEAR.findall(asked) if _DAY.search(asked) else ()
    for start, end in sentence_spans(text):
        found = None if _holds(Span(start, end), spans) else _MONTH.search(text, start, end)
        if found and text[found.end() : found.end() + 4] not in kept:
            capital = "In " if found[0][0].isupper() else "in "
            shorter = text[: found.start()] + capital + text[found.end() :]
            if keeps(question.base, text, shorter):
                return shorter
    if not _DAY.search(asked):
        for found in _YEAR_ENDED.finditer(text):
            shorter = text[: found.start()] + text[found.end() :]
            if keeps(question.base, text, shorter):
                return shorter
        for line in text.split("\n"):
            if is_row(line) and len(_DAY.findall(line)) > 1 and not numbers_in(line):
                return text.replace(line, _DAY.sub("", line), 1)
    return text


EDITS: Mapping[str, Callable[[str, Question], str]] = {
    edit.__name__: edit
    for edit in (
        cut_answer,
        cut_subject,
        cut_rows,
        cut_statistic,
        cut_sentence,
        cut_brackets,
        cut_introduction,
        cut_adjective,
        trim_month,
    )
}
