"""Requests for a text on a section or topic of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tasks.baseline.failsafeqa.drafts import Draft
from tasks.quantities.text_tables import paragraphs
from tasks.suites.shared.clauses import stands_alone
from tasks.suites.shared.phrases import in_running_text
from tasks.text.retrieval import Index, Passage, is_heading
from tasks.text.terms import content_terms

# Topics that an annual report is asked about, even without a section of that name.
_TOPICS = (
    "liquidity and capital resources",
    "competitors",
    "employees and labor unions",
    "research and development expenses",
    "manufacturing facilities",
    "environmental laws and regulations",
    "patents and trademarks",
    "suppliers and raw materials",
    "major customers",
    "cash dividends",
    "pending lawsuits",
    "acquisitions",
    "interest rates and debt",
    "foreign currency exchange rates",
    "growth strategy",
    "distribution channels",
    "seasonality of the business",
    "income taxes",
    "insurance coverage",
)
_NO_TOPIC = re.compile(
    r"\b(?:item|part|form|table|contents|index|exhibits?|signatures?|notes?|report|general"
    r"|overview|introduction|business|background|summary|other|statements?|page|schedule|continued"
    r"|risk factors|securities exchange|inc|corp|company|none|forward|cautionary|glossary"
    r"|definitions)\b|\d|[&/:()|]",
    re.IGNORECASE,
)
_SENTENCES = range(3, 5)  # a text has three or four sentences


def section_drafts(index: Index, lower_words: frozenset[str]) -> Iterator[Draft]:
    """Draft a request per section with a telling heading; the section's beginning answers it."""
    headings = _headings(index.text)
    sentences = iter(index.passages)
    passage = next(sentences, None)
    for number, (start, end, heading, next_start) in enumerate(headings):
        chosen: list[Passage] = []
        while passage is not None and passage.start_char < next_start:
            if passage.start_char >= end and passage.row is None and len(chosen) < max(_SENTENCES):
                chosen.append(passage)
            passage = next(sentences, None)
        said = [" ".join(piece.text.split()) for piece in chosen]
        is_telling = not _NO_TOPIC.search(heading) and 1 <= len(content_terms(heading)) <= 5
        is_unique = sum(heading.lower() == other.lower() for _, _, other, _ in headings) == 1
        if (
            is_telling
            and is_unique
            and len(said) in _SENTENCES
            and stands_alone(said[0])
            and all(one.endswith(".") and 40 < len(one) < 500 for one in said)
            # else a place or a signature, not the topic of the text below
            and not _roots(heading).isdisjoint(_roots(" ".join(said)))
        ):
            topic = in_running_text(heading, lower_words) if heading.isupper() else heading
            yield _draft(number, topic, chosen, start)


def topic_drafts(index: Index) -> Iterator[Draft]:
    """Draft a request per topic with at least three sentences that stand alone."""
    for number, topic in enumerate(_TOPICS):
        terms = set(content_terms(topic))
        chosen = [
            hit.passage
            for hit in index.rank(sorted(terms))[:40]
            if hit.passage.row is None
            and len(terms & hit.passage.terms.keys()) >= min(2, len(terms))
            and stands_alone(" ".join(hit.passage.text.split()))
        ][: max(_SENTENCES)]
        if len(chosen) in _SENTENCES:
            chosen.sort(key=lambda passage: passage.start_char)
            yield _draft(number, topic, chosen, chosen[0].start_char)


def _roots(text: str) -> set[str]:
    """Cut a text's terms so that `competition` and `competes` share a root."""
    return {term[:5] for term in content_terms(text)}


def _headings(text: str) -> list[tuple[int, int, str, int]]:
    """Find start, end and text of each heading, and the next one's start."""
    found = [
        (start, end, " ".join(text[start:end].split()))
        for start, end in paragraphs(text)
        if is_heading(text[start:end])
    ]
    ends = pairwise([*found, (len(text), len(text), "")])
    return [(*heading, following[0]) for heading, following in ends]


def _draft(number: int, topic: str, chosen: list[Passage], start_char: int) -> Draft:
    """Phrase the request in one of four forms, with its text."""
    sentences = [" ".join(passage.text.split()) for passage in chosen]
    body = " ".join(sentences)
    requests = (
        (f"write a short note on {topic}", body),
        (f"list the key points on {topic}", "\n".join(f"- {sentence}" for sentence in sentences)),
        (
            f"draft a short email to the team about {topic}",
            f"Subject: {topic}\n\nHello team,\n\n{body}",
        ),
        (f"summarize what the report says about {topic}", body),
    )
    query, answer = requests[number % len(requests)]
    return Draft(query, answer, start_char, "tg")
