"""A context is the longest run of whole paragraphs, or sentences, that fits its limit."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.ids import stable_id
from tasks.core.rows import Context, Document, Paragraph, Reject
from tasks.suites.failsafeqa import contexts
from tasks.suites.failsafeqa.contexts import truncate
from tasks.text.sentences import split_sentences
from tasks.text.tokens import count_tokens

SENTENCES = st.sampled_from(
    [
        "Net sales rose 4.2% to $1,204 million in 2017.",
        "The Company has no unresolved comments.",
        "Cash was $38.2 million.",
        "See Note 7.",
        "Approximately 1,846 people worked in nine plants, three of them in Ohio, at year-end.",
        "Naïve façades cost €12 — or ¥900 — each.",
        "/s/ A. Director signed.",
    ]
)
ROWS = st.sampled_from(
    ["Net sales | $1,204 | $1,155", "| 2017 | 2016", "Total | 9 | (12)", "Cost ..... (40)"]
)
PARAGRAPHS = st.one_of(
    st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join),
    st.lists(ROWS, min_size=1, max_size=5).map("\n".join),
    st.sampled_from(["PART I", "Item 1. Business", "None.", "(Dollars in thousands)", "..."]),
)
ENCODINGS = st.sampled_from(["cl100k_base", "o200k_base", "p50k_base"])


def make_document(paragraphs: list[str], encoding: str = "cl100k_base") -> Document:
    """A document as `edgar` makes it: each paragraph is counted with the blank line after it."""
    text = "\n\n".join(paragraphs)
    spans = []
    begin = 0
    for index, paragraph in enumerate(paragraphs):
        end = begin + len(paragraph)
        blank = "\n\n" if index + 1 < len(paragraphs) else ""
        spans.append(
            Paragraph(
                start_char=begin, end_char=end, n_tokens=count_tokens(paragraph + blank, encoding)
            )
        )
        begin = end + 2
    return Document(
        document_id=stable_id("doc", text),
        filing_id="sha-0",
        text=text,
        n_tokens=count_tokens(text, encoding),
        encoding=encoding,
        items=(),
        paragraphs=tuple(spans),
    )


def only(document: Document, **options: object) -> Context | Reject:
    return truncate(document, **options)  # type: ignore[arg-type]


def ends_of(document: Document) -> list[int]:
    """Where a context may end: after each paragraph and after each sentence."""
    ends = [paragraph.end_char for paragraph in document.paragraphs]
    for paragraph in document.paragraphs:
        text = document.text[paragraph.start_char : paragraph.end_char]
        ends += [paragraph.start_char + sentence.end_char for sentence in split_sentences(text)]
    return sorted(set(ends))


@settings(max_examples=150, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=12), st.integers(1, 220), ENCODINGS)
def test_a_context_is_exact_within_its_limit_and_as_long_as_can_be(
    paragraphs: list[str], limit: int, encoding: str
) -> None:
    document = make_document(paragraphs)
    made = only(document, limit=limit, encoding=encoding)

    if isinstance(made, Reject):
        first_end = ends_of(document)[0]
        assert made.reason == contexts.SENTENCE_TOO_LONG
        assert count_tokens(document.text[:first_end], encoding) > limit
        return

    end = len(made.text)
    cut = json.loads(made.details)["cut"]
    assert made.text == document.text[made.start_char : made.start_char + end]
    assert made.n_tokens == count_tokens(made.text, encoding) <= limit

    paragraph_ends = [paragraph.end_char for paragraph in document.paragraphs]
    following = [paragraph for paragraph in document.paragraphs if paragraph.end_char > end]
    if cut == "none":
        assert made.text == document.text
    elif cut == "paragraph":
        assert end in paragraph_ends
        assert count_tokens(document.text[: following[0].end_char], encoding) > limit
    else:
        assert end in ends_of(document)
        next_end = min(stop for stop in ends_of(document) if stop > end)
        assert count_tokens(document.text[:next_end], encoding) > limit
        whole = document.text[following[0].start_char : following[0].end_char]
        assert count_tokens(whole + "\n\n", encoding) > limit


def test_a_document_without_text_is_a_reason() -> None:
    empty = replace(make_document(["None."]), text="", n_tokens=0, paragraphs=())
    made = only(empty)
    assert isinstance(made, Reject)
    assert made.reason == contexts.NO_TEXT


def test_paragraphs_whose_counts_do_not_add_up_are_counted_together() -> None:
    """In o200k `By:`, a blank line and `/s/` are a token more together than apart."""
    document = make_document(["By:", "/s/ A. Director"] * 8, encoding="o200k_base")
    whole = count_tokens(document.text, "o200k_base")
    assert sum(paragraph.n_tokens for paragraph in document.paragraphs) < whole
    for limit, is_whole in ((whole, True), (whole - 1, False)):
        made = only(document, encoding="o200k_base", limit=limit)
        assert isinstance(made, Context)
        assert (made.text == document.text) == is_whole
        assert made.n_tokens == count_tokens(made.text, "o200k_base") <= limit
