"""Sanitising: whole sentences, neighbours, order, layout and exact offsets."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.suites.failsafeqa.citations.sanitise import document_sentences, opening_length, sanitise

# Forty numbered sentences in paragraphs of three, of which the first ten are the opening.
SENTENCES = [f"Sentence number {number} says little." for number in range(40)]
TEXT = "\n\n".join(" ".join(SENTENCES[i : i + 3]) for i in range(0, 40, 3))
OPENING = " ".join(SENTENCES[:10])

PIECES = [
    "The mill runs well.",
    "Item 7.",
    "Inc.",
    "\n",
    "\n\n",
    "Net sales | 5 | 6\n",
    "“We fail.”",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
SPANS = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 60)).map(lambda s: (s[0], s[0] + s[1])),
    max_size=6,
)


def where(number: int) -> tuple[int, int]:
    start = TEXT.index(SENTENCES[number])
    return start, start + len(SENTENCES[number])


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_quotes_are_exact_sorted_apart_and_whole(text: str, spans: list[tuple[int, int]]) -> None:
    citations = sanitise(spans, text).citations
    starts = {sentence.start_char for sentence in document_sentences(text)}
    ends = {sentence.end_char for sentence in document_sentences(text)}
    for citation in citations:
        assert text[citation.start_char : citation.end_char] == citation.quote
        assert citation.start_char in starts
        assert citation.end_char in ends
    for left, right in itertools.pairwise(citations):
        assert left.end_char < right.start_char
        between = [
            s for s in document_sentences(text) if left.end_char <= s.start_char < right.start_char
        ]
        assert between, "two citations without a sentence between them are one"


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_every_cited_character_is_covered(text: str, spans: list[tuple[int, int]]) -> None:
    citations = sanitise(spans, text).citations
    covered = {i for citation in citations for i in range(citation.start_char, citation.end_char)}
    for start, end in spans:
        cited = {i for i in range(start, min(end, len(text))) if not text[i].isspace()}
        assert cited <= covered


def test_joins_adjacent_runs_and_marks_gaps() -> None:
    sanitised = sanitise([where(30), where(15), where(18)], TEXT)
    assert sanitised.citation_text == (
        f"{OPENING} [...]\n-----\n"
        f"[...] {' '.join(SENTENCES[14:20])} [...]\n-----\n"
        f"[...] {' '.join(SENTENCES[29:32])} [...]"
    )


def test_opening_includes_cover_lines_and_rows_uncounted() -> None:
    cover = "FORM 10-K\n\nACME MILLS, INC.\n\nDelaware | 12-345\n\n"
    assert opening_length(cover + TEXT) == 13
    assert sanitise([(0, 4)], cover + TEXT).citation_text.startswith(
        "FORM 10-K ACME MILLS, INC. Delaware | 12-345 Sent"
    )


def test_a_document_without_full_stops_is_not_all_opening() -> None:
    assert opening_length("\n\n".join(f"Title {number}" for number in range(300))) == 100


def test_line_breaks_become_one_space_and_runs_of_spaces_stay() -> None:
    text = "Sales  rose\nby 3%.\n\nCosts   fell."
    sanitised = sanitise([(0, 5)], text)
    assert sanitised.citation_text == "Sales  rose by 3%. Costs   fell. [...]"
    assert [citation.quote for citation in sanitised.citations] == [text]


def test_citations_are_cut_where_the_context_ends() -> None:
    start, end = where(30)
    sanitised = sanitise([(start, end)], TEXT, (where(29)[0] + 9, end - 8))
    (citation,) = sanitised.citations
    assert citation.quote == TEXT[where(29)[0] + 9 : end - 8]
    assert sanitised.citation_text.endswith(
        "[...] number 29 says little. Sentence number 30 says [...]"
    )
