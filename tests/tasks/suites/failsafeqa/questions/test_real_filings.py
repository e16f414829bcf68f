"""The weightless engine writes and answers questions on real filings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.baseline.failsafeqa.answer import reply
from tasks.core.rows import Context, QAPair, Reject
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.inference.engines.extractive import Extractive
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.failsafeqa.answer import Inputs
from tasks.suites.failsafeqa.contexts import truncate
from tasks.suites.failsafeqa.questions import grounded, operations

OPERATIONS = {
    op.name: op
    for op in (operations.DIALOGUE, operations.RATE, operations.CHOICE, operations.REWRITE)
}
FILINGS = ("aeroflex_1995_main.txt", "reac_2015_main.htm", "tgfin_2009_full-submission.txt")


@pytest.fixture(scope="module")
def written(shared: Path) -> tuple[list[QAPair], dict[str, str]]:
    contexts = []
    for name in FILINGS:
        read = read_filing(
            FilingSource(
                uri=name, data=(shared / "filings" / name).read_bytes(), encoding="cl100k_base"
            )
        )
        assert not isinstance(read, Reject)
        context = truncate(read.document, limit=25_000)
        assert isinstance(context, Context)
        contexts.append(context)
    rows = grounded.write(contexts, Extractive(OPERATIONS, RULES), pairs=4, seed=0)
    pairs = [row for row in rows if isinstance(row, QAPair)]
    return pairs, {context.context_id: context.text for context in contexts}


def answered(pair: QAPair, text: str) -> bool:
    """Check whether the reader states the reference's first figure or most of its words."""
    answer = reply(Inputs(context=text, query=pair.query))
    wanted = [figure for figure in find_figures(pair.answer) if figure.unit != "year"]
    if wanted:
        return any(same_figure(wanted[0], figure) for figure in find_figures(answer))
    words = set(pair.answer.lower().split())
    return len(words & set(answer.lower().split())) > len(words) / 2


def test_every_filing_gives_pairs_on_its_own_text(
    written: tuple[list[QAPair], dict[str, str]],
) -> None:
    pairs, texts = written
    assert {pair.context_id for pair in pairs} == set(texts)
    assert len(pairs) >= 8


def test_the_reader_answers_most_pairs_from_their_context(
    written: tuple[list[QAPair], dict[str, str]],
) -> None:
    pairs, texts = written
    assert sum(answered(pair, texts[pair.context_id]) for pair in pairs) >= 0.8 * len(pairs)


def test_the_reader_refuses_most_questions_about_another_filing(
    written: tuple[list[QAPair], dict[str, str]],
) -> None:
    pairs, texts = written
    strangers = [
        (pair, text)
        for pair in pairs
        if pair.task == "qa"
        for key, text in texts.items()
        if key != pair.context_id
    ]
    refused = [
        reply(Inputs(context=text, query=pair.query)).startswith("I cannot answer")
        for pair, text in strangers
    ]
    assert sum(refused) >= 0.8 * len(refused)
