"""Try the search for derivations with true and with wrong figures: how often it proves those.

Every figure of Item 7 that can be masked is tried: as it stands, and in its place
    another cell of its row     of the row that proves it
    another of the likeliest    of a figure that nothing proves: a cell of the row that the search
                                likes best; drawn from what might be proved, so the hardest
    exchanged in its sentence   the two change places, so that the sentence is whole, and wrong
    exchanged with a neighbour  the same with a figure of a neighbouring sentence
    another of the filing       of the same unit
    another filing's            of the same unit
    its last digit one up, one down
What the passage still states elsewhere is not tried: the search rules it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random

from tasks.core.ids import stable_rng
from tasks.core.rows import Context, Reject
from tasks.filings.reader.reading import Source, read_filing
from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.derivations.candidates import pool_of
from tasks.suites.faith.derivations.evidence import Weights
from tasks.suites.faith.derivations.expressions import rounds_to
from tasks.suites.faith.derivations.passage import Passage, read_passage
from tasks.suites.faith.derivations.search import LEAST_EVIDENCE, Proof, prove, rank, tables_of
from tasks.suites.faith.masking import MASK, masked
from tasks.suites.faith.questions.masked_spans import FoundSpan, find_spans, given_away
from tasks.suites.shared.tables.sheets import Sheet, read_sheets
from tasks.text.tokens import DEFAULT_ENCODING

TRUE = "the figure itself"
EXCHANGED = "exchanged in its sentence"
EXCHANGED_NEAR = "exchanged with a neighbour"
SAME_ROW = "another cell of its row"
OF_FILING = "another of the filing"
OF_OTHERS = "another filing's"
LAST_DIGIT = "the last digit one off"
FALSE_KINDS = (EXCHANGED, EXCHANGED_NEAR, SAME_ROW, OF_FILING, OF_OTHERS, LAST_DIGIT)
LIKELIEST_ROW = "another of the likeliest"

_MOST_EXCHANGED = 2  # figures of its sentence, and of its neighbours


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing's tables and the figures that its Item 7 could hide."""

    name: str
    sheets: tuple[Sheet, ...]
    spans: tuple[FoundSpan, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One figure put to the search; its span is None where it is of a published instance."""

    filing: str
    kind: str
    span: FoundSpan | None
    figure: Figure
    proof: Proof | None


def read_filings(folder: Path, names: Sequence[str] = ()) -> list[Filing]:
    """The filings whose Item 7 has tables, by name; those of `names` only, where any are given."""
    found = []
    for path in sorted(folder.iterdir()):
        name = path.name.partition("_main")[0].partition("_full")[0]
        is_filing = path.suffix in (".gz", ".htm", ".txt")
        if not is_filing or (names and name not in names):
            continue
        rows = read_filing(Source(uri=path.name, data=path.read_bytes(), encoding=DEFAULT_ENCODING))
        if isinstance(rows, Reject):
            continue
        tables = {rows.document.document_id: rows.tables}
        (context,) = show_tables([rows.document], tables, encoding=DEFAULT_ENCODING)
        if isinstance(context, Context):
            spans = tuple(span for span in find_spans(rows.document) if given_away(span) is None)
            found.append(Filing(name, tuple(read_sheets(context.text)), spans))
    return found


def trials(
    filings: Sequence[Filing],
    *,
    seed: int,
    most: int | None = None,
    least: float = LEAST_EVIDENCE,
    weighing: Mapping[str, Weights] | None = None,
) -> Iterator[Trial]:
    """Try every figure of the filings, or `most` of each drawn by the seed, true and wrong.

    Args:
        least: the least evidence of a proof.
        weighing: filing -> weights of the evidence; None takes those of the package.
    """
    for filing in filings:
        tried = partial(_tried, filing, weighing and weighing[filing.name], least)
        others = [span.figure for other in filings if other is not filing for span in other.spans]
        rng = stable_rng(seed, "trials", filing.name)
        drawn = rng.sample(filing.spans, min(most or len(filing.spans), len(filing.spans)))
        for span in drawn:
            true = tried(TRUE, span, span.figure)
            yield true
            if wrong := _of_its_row(filing, span, true.proof, rng):
                yield tried(SAME_ROW if true.proof else LIKELIEST_ROW, span, wrong)
            of_sentence = _of_unit(
                [each.figure for each in filing.spans if _is_same_sentence(each, span)], span
            )
            for figure in of_sentence[:_MOST_EXCHANGED]:
                yield tried(EXCHANGED, span, figure, _exchanged(span, figure))
            for passage, figure in _exchanged_near(Passage.read(span.query), span.figure):
                yield tried(EXCHANGED_NEAR, span, figure, passage)
            for kind, figures in (
                (OF_FILING, [each.figure for each in filing.spans]),
                (OF_OTHERS, others),
            ):
                if fitting := _of_unit(figures, span):
                    yield tried(kind, span, rng.choice(fitting))
            for step in (1, -1):
                value = span.figure.value + step * Decimal(1).scaleb(-span.figure.decimals)
                yield tried(LAST_DIGIT, span, replace(span.figure, value=value))


def wrong_trials(
    name: str, sheets: tuple[Sheet, ...], asked: Sequence[tuple[str, Figure]], seed: int
) -> Iterator[Trial]:
    """Try wrong figures in place of published ones.

    They are exchanged with a neighbour's or another of the report's, both of the same unit, and the
    figure with its last digit one off. `asked` are passages with their figures.
    """
    rng = stable_rng(seed, "trials", name)
    for query, true in asked:
        passage = Passage.read(query)
        others = [
            figure
            for _, figure in asked
            if figure.unit == true.unit and abs(figure.value) != abs(true.value)
        ]
        wrong = [
            (EXCHANGED_NEAR, figure, changed) for changed, figure in _exchanged_near(passage, true)
        ]
        if others:
            wrong.append((OF_FILING, rng.choice(others), passage))
        for step in (1, -1):
            value = true.value + step * Decimal(1).scaleb(-true.decimals)
            wrong.append((LAST_DIGIT, replace(true, value=value), passage))
        for kind, figure, changed in wrong:
            proofs = prove(changed, figure, sheets)
            yield Trial(name, kind, None, figure, proofs[0] if proofs else None)


def _exchanged_near(passage: Passage, true: Figure) -> list[tuple[Passage, Figure]]:
    """Exchange the figure with its neighbours' of the same unit: state it there, and try those."""
    return [
        (
            replace(
                passage,
                **{side: text[: figure.start_char] + true.text + text[figure.end_char :]},
            ),
            figure,
        )
        for side, text in (("before", passage.before), ("after", passage.after))
        for figure in find_figures(text)
        if figure.unit == true.unit and abs(figure.value) != abs(true.value)
    ][:_MOST_EXCHANGED]


def _of_its_row(filing: Filing, span: FoundSpan, proof: Proof | None, rng: Random) -> Figure | None:
    """Take another cell's value: of the row that proves the figure, or of the likeliest row."""
    figure, tables = span.figure, tables_of(filing.sheets)
    if proof is not None:
        row = proof.operands[0]
    else:
        ranked = rank(read_passage(Passage.read(span.query)), tables, figure.unit)
        if not ranked.expressions:
            return None
        row = ranked.expressions[int(ranked.likely.argmax())].cells[0]
    pool = pool_of(tables)
    others = [
        replace(figure, value=value, decimals=max(cell.decimals, figure.decimals))
        for found, fits in zip(pool.expressions, pool.fitting(figure.unit), strict=True)
        if fits and found.operation == "lookup"
        for cell in found.cells
        if (cell.table_index, cell.row) == (row.table_index, row.row)
        and (value := abs(cell.value))
        and not rounds_to(value, figure.value, figure.decimals)
    ]
    return rng.choice(others) if others else None


def _tried(
    filing: Filing,
    weights: Weights | None,
    least: float,
    kind: str,
    span: FoundSpan,
    figure: Figure,
    passage: Passage | None = None,
) -> Trial:
    passage = passage or Passage.read(span.query)
    proofs = prove(passage, figure, filing.sheets, weights, least)
    return Trial(filing.name, kind, span, figure, proofs[0] if proofs else None)


def _is_same_sentence(a: FoundSpan, b: FoundSpan) -> bool:
    return a.start_char == b.start_char


def _of_unit(figures: Sequence[Figure], span: FoundSpan) -> list[Figure]:
    """Those of the same unit and another value."""
    true = span.figure
    return [
        figure
        for figure in figures
        if figure.unit == true.unit and abs(figure.value) != abs(true.value)
    ]


def _exchanged(span: FoundSpan, other: Figure) -> Passage:
    """Exchange two figures: mask the other in the true one's place, state the true one in its."""
    true, sentence = span.figure, span.sentence
    if other.start_char < true.start_char:
        changed = masked(sentence, true.start_char, true.end_char)
        changed = changed[: other.start_char] + true.text + changed[other.end_char :]
    else:
        changed = sentence[: other.start_char] + true.text + sentence[other.end_char :]
        changed = masked(changed, true.start_char, true.end_char)
    assert changed.count(MASK) == 1
    return Passage(span.before, " ".join(changed.split()), span.after)
