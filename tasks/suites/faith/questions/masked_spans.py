"""The figures of Item 7 that could be hidden, with sentence and neighbours.

They are figures of sentences, not of tables, headings or notes below a table. A neighbour is the
text before or after the sentence in the Item, tables aside. It may be a heading, which names the
topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

from tasks.core.ids import stable_id
from tasks.core.rows import Document, Item
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.faith.derivations.expressions import rounds_to
from tasks.suites.faith.maskable import LONGEST, MASK, maskable_figures, masked, passage_text
from tasks.text.sentences import split_sentences

ITEM = "7"

STATED_TWICE = "the sentence states the figure twice"
STATED_BESIDE = "a neighbouring sentence states the figure"
OF_ITS_SENTENCE = "other figures of its sentence give the figure"
# A sentence with more figures is a list: its words no longer say what each is.
MOST_FIGURES = 20

LONG = f"the sentence or a neighbour is longer than {LONGEST:,} characters"
MANY_FIGURES = f"the sentence has more than {MOST_FIGURES} figures"
HAS_MASK = "the sentence or a neighbour holds [MASK] itself"

# A list entry with this many words is a sentence, even without a full stop.
_WORDS_WITHOUT_STOP = 10
_STOP = re.compile(r"[.!?;][\"'”’)\]]*\Z")
_NOTE = re.compile(r"(?:\((?:\d{1,2}|[a-z])\)|[*†‡]{1,3}|\d{1,2}(?=[A-Z]))\s?")


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """One figure that could be hidden."""

    span_id: str
    document_id: str
    sentence: str
    before: str
    after: str
    start_char: int  # of the sentence in the document's text
    figure: Figure

    @property
    def query(self) -> str:
        """The passage with the figure hidden, as a model sees it."""
        hidden = masked(self.sentence, self.figure.start_char, self.figure.end_char)
        return passage_text(self.before, hidden, self.after)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    start_char: int
    is_prose: bool


def find_spans(document: Document) -> Iterator[FoundSpan]:
    """Find every figure of Item 7's sentences that measures something, in order.

    There is none without an Item 7. A sentence that is too long to ask about has one span: its
    first figure's.
    """
    for item in document.spans_of(ITEM):
        yield from _find_spans(document, list(_sentences(document, item)))


def _find_spans(document: Document, sentences: Sequence[_Sentence]) -> Iterator[FoundSpan]:
    for place, sentence in enumerate(sentences):
        if not sentence.is_prose:
            continue
        before = sentences[place - 1].text if place else ""
        after = sentences[place + 1].text if place + 1 < len(sentences) else ""
        is_long = len(sentence.text) > LONGEST
        for figure in maskable_figures(sentence.text)[: 1 if is_long else None]:
            yield FoundSpan(
                span_id=stable_id(
                    "span", document.document_id, sentence.start_char, figure.start_char
                ),
                document_id=document.document_id,
                sentence=sentence.text,
                before=before,
                after=after,
                start_char=sentence.start_char,
                figure=figure,
            )


def given_away(span: FoundSpan, *, own_sentence: bool = False) -> str | None:
    """Explain why a figure cannot be asked for; None if it can.

    Most often the words around it would tell it. Figures are the same if one is the other rounded,
    as answers are compared. `own_sentence` allows what other figures of the sentence give.
    """
    if max(map(len, (span.sentence, span.before, span.after))) > LONGEST:
        return LONG
    if MASK in span.sentence or MASK in span.before or MASK in span.after:
        return HAS_MASK
    figures = find_figures(span.sentence)
    if len(figures) > MOST_FIGURES:
        return MANY_FIGURES
    if sum(_is_same(span.figure, other) for other in figures) > 1:
        return STATED_TWICE
    beside = (figure for text in (span.before, span.after) for figure in find_figures(text))
    if any(_is_same(span.figure, other) for other in beside):
        return STATED_BESIDE
    others = [other for other in figures if other.start_char != span.figure.start_char]
    if not own_sentence and _follows(span.figure, others):
        return OF_ITS_SENTENCE
    return None


def _follows(figure: Figure, others: Sequence[Figure]) -> bool:
    """Check whether two others of its sentence give a figure: a change, level, share or sum."""
    return any(
        rounds_to(value, figure.value, figure.decimals)
        for a, b in permutations(others, 2)
        if "year" not in (a.unit, b.unit)
        for value in _values(figure, a, b)
    )


def _values(figure: Figure, a: Figure, b: Figure) -> Iterator[Decimal]:
    """Yield what two figures give in a third one's unit."""
    if figure.unit == a.unit == b.unit:
        yield from (a.value - b.value, a.value + b.value)
    elif figure.unit == a.unit and b.unit == "percent":  # a level, its change, or a part of it
        for level in (Decimal(100), 100 - b.value, 100 + b.value):
            ratios = (level, 100), (100, level), (b.value, level), (level, b.value)
            yield from (a.value * part / whole for part, whole in ratios if whole)
    elif figure.unit == "percent" and a.unit == b.unit:
        levels = (b.value, b.value - a.value, b.value + a.value)
        yield from (100 * a.value / level for level in levels if level)
        yield from (100 * (a.value - b.value) / level for level in (b.value,) if level)
    elif figure.unit == "bps" and a.unit == b.unit:
        yield 100 * (a.value - b.value)


def _is_same(figure: Figure, other: Figure) -> bool:
    is_of_its_kind = figure.unit == other.unit or {figure.unit, other.unit} == {"percent", "bps"}
    return is_of_its_kind and same_figure(figure, other)


def _sentences(document: Document, item: Item) -> Iterator[_Sentence]:
    """Find the sentences and headings of an Item's span outside its tables, in order."""
    is_below_table = False
    for paragraph in document.paragraphs:
        start = max(paragraph.start_char, item.start_char)
        end = min(paragraph.end_char, item.end_char)
        if start >= end:
            continue
        text = document.text[start:end]
        if " | " in text or "\n" in text:  # rows, of a data table or of one used for layout
            is_below_table = True
            continue
        is_note = is_below_table = is_below_table and bool(_NOTE.match(text))
        for place, stop in split_sentences(text):
            sentence = text[place:stop]
            is_prose = _STOP.search(sentence) or len(sentence.split()) >= _WORDS_WITHOUT_STOP
            yield _Sentence(sentence, start + place, not is_note and bool(is_prose))
