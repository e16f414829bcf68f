"""The search for derivations tried with true figures, and with wrong ones: how often it proves what is not so.

Every figure of Item 7 that can be masked is tried: as it stands, and in its place
    another of its sentence     the sentence still states that figure where it belongs
    exchanged in its sentence   the two change places, so that the sentence is whole, and wrong
    another of the filing       of the same unit
    another filing's            of the same unit
    its last digit one up, one down
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from tasks.contexts.tables import show_tables
from tasks.derivations.passage import Passage
from tasks.derivations.search import Proof, prove
from tasks.edgar.reading import Source, read_filing
from tasks.ids import stable_rng
from tasks.questions.masked_spans import FoundSpan, find_spans, given_away
from tasks.schemas import Context, Reject
from tasks.text.figures import Figure
from tasks.text.masking import MASK, masked
from tasks.text.sheets import Sheet, read_sheets
from tasks.text.tokens import DEFAULT_ENCODING

TRUE = "the figure itself"
FALSE_KINDS = (
    "another of its sentence",
    "another of the filing",
    "another filing's",
    "the last digit one off",
)
EXCHANGED = "exchanged in its sentence"

_MOST_OF_A_SENTENCE = 2  # figures that a figure is tried against


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing's tables and the figures that its Item 7 could hide."""

    name: str
    sheets: tuple[Sheet, ...]
    spans: tuple[FoundSpan, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One figure put to the search."""

    filing: str
    kind: str
    span: FoundSpan
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


def trials(filings: Sequence[Filing], *, seed: int, most: int | None = None) -> Iterator[Trial]:
    """Every figure of the filings, or `most` of each drawn by the seed, tried as it stands and with wrong ones."""
    for filing in filings:
        others = [span.figure for other in filings if other is not filing for span in other.spans]
        rng = stable_rng(seed, "trials", filing.name)
        drawn = rng.sample(filing.spans, min(most or len(filing.spans), len(filing.spans)))
        for span in drawn:
            yield _tried(filing, TRUE, span, span.figure)
            of_sentence = _of_unit(
                [each.figure for each in filing.spans if _is_same_sentence(each, span)], span
            )
            for figure in of_sentence[:_MOST_OF_A_SENTENCE]:
                yield _tried(filing, FALSE_KINDS[0], span, figure)
                proofs = prove(_exchanged(span, figure), figure, filing.sheets)
                yield Trial(filing.name, EXCHANGED, span, proofs[0] if proofs else None)
            for kind, figures in (
                (FALSE_KINDS[1], [each.figure for each in filing.spans]),
                (FALSE_KINDS[2], others),
            ):
                if fitting := _of_unit(figures, span):
                    yield _tried(filing, kind, span, rng.choice(fitting))
            for step in (1, -1):
                wrong = span.figure.value + step * Decimal(1).scaleb(-span.figure.decimals)
                yield _tried(filing, FALSE_KINDS[3], span, replace(span.figure, value=wrong))


def _tried(filing: Filing, kind: str, span: FoundSpan, figure: Figure) -> Trial:
    proofs = prove(Passage.read(span.query), figure, filing.sheets)
    return Trial(filing.name, kind, span, proofs[0] if proofs else None)


def _is_same_sentence(a: FoundSpan, b: FoundSpan) -> bool:
    return a.start_char == b.start_char


def _of_unit(figures: Sequence[Figure], span: FoundSpan) -> list[Figure]:
    """Those of the same unit and another value."""
    true = span.figure
    return [figure for figure in figures if figure.unit == true.unit and abs(figure.value) != abs(true.value)]


def _exchanged(span: FoundSpan, other: Figure) -> Passage:
    """The passage in which the other figure is masked at the true one's place, and the true one states its."""
    true, sentence = span.figure, span.sentence
    if other.start_char < true.start_char:
        changed = masked(sentence, true.start_char, true.end_char)
        changed = changed[: other.start_char] + true.text + changed[other.end_char :]
    else:
        changed = sentence[: other.start_char] + true.text + sentence[other.end_char :]
        changed = masked(changed, true.start_char, true.end_char)
    assert changed.count(MASK) == 1
    return Passage(span.before, " ".join(changed.split()), span.after)
