"""The sentences that a citing model's statements cite, read as LongCite does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tasks.text.sentences import Span

MOST_CITATIONS = 3  # of one statement; further ones are dropped

Runs = tuple[tuple[int, int], ...]  # of one statement: first and last sentence, inclusive


def tag_sentences(context: str, sentences: Sequence[Span], letter: str) -> str:
    """Put `<C0>`, `<C1>`, ... before sentences; keep the whitespace between them."""
    bounds = [*(start for start, _ in sentences), *(end for _, end in sentences[-1:])]
    return "".join(
        f"<{letter}{number}>{context[start:end]}"
        for number, (start, end) in enumerate(itertools.pairwise(bounds))
    )


def cited_spans(runs: Runs, sentences: Sequence[Span]) -> list[Span]:
    """Turn a statement's runs of sentences into spans of the context's characters.

    As in LongCite's post-processing, runs that start past the last sentence or end before they
    start are skipped, and ends past the last sentence are clipped. A run right after the one before
    is joined to it. The first three runs are kept.
    """
    spans: list[tuple[int, int]] = []
    for first, last in runs:
        if first >= len(sentences) or last < first:
            continue
        last = min(last, len(sentences) - 1)
        if spans and first == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return [
        Span(sentences[first].start_char, sentences[last].end_char)
        for first, last in spans[:MOST_CITATIONS]
    ]
