"""Citations in LongCite's format: numbered sentences in the prompt, numbers in the reply.

Source of the format: LongCite (Zhang et al., 2024), whose model FailSafeQA used to extract
citations. The document's sentences are tagged `<C0>`, `<C1>`, ...; the reply is a list of
`<statement>text<cite>[i-j][k-l]</cite></statement>`, i to j inclusive.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.suites.failsafeqa.citations.statements import Runs, tag_sentences
from tasks.text.sentences import Span

_STATEMENT = re.compile(r"<statement>(.*?)</statement>", re.DOTALL)
_CITE = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_RANGE = re.compile(r"\[([0-9]{1,4000})-([0-9]{1,4000})\]")  # Python reads no longer numbers
_FULL_WIDTH_END = re.compile(r"[。；！？]")
_BLANK_LINE = re.compile(r"\n\n")


def tagged(context: str) -> tuple[str, list[Span]]:
    """Tag a context's sentences, and find them with the whitespace after each.

    This is the official splitter: NLTK's Punkt, trained on the context itself, then a break after
    each full-width `。；！？`. If that gives one sentence, blank lines divide.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    starts: list[int] = []
    for start, end in PunktSentenceTokenizer(context).span_tokenize(context):
        starts.extend(_piece_starts(context, start, end, _FULL_WIDTH_END))
    if len(starts) <= 1:
        starts = _piece_starts(context, 0, len(context), _BLANK_LINE)
    sentences = list(itertools.starmap(Span, itertools.pairwise((*starts, len(context)))))
    return tag_sentences(context, sentences, "C").strip(), sentences


def _piece_starts(text: str, start: int, end: int, divider: re.Pattern[str]) -> list[int]:
    """Find where the non-empty pieces between dividers start, without outer whitespace."""
    bounds = [start, *(match.end() for match in divider.finditer(text, start, end)), end]
    starts = []
    for left, right in itertools.pairwise(bounds):
        piece = text[left:right]
        if piece.strip():
            starts.append(left + len(piece) - len(piece.lstrip()))
    return starts


# --- the operation --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CitationInputs:
    """The prompt's inputs.

    Unlike LongCite's own, the prompt shows the answer: the pair's answer needs support, not the one
    that the citing model would give.
    """

    context: str  # of `tagged`
    query: str
    answer: str


def read_reply(reply: str) -> tuple[Runs, ...]:
    """Read what a reply cites as LongCite's own script does: `[i-j]` in closed statements.

    Raises:
        ParseError: no statement is tagged.
    """
    statements = _STATEMENT.findall(reply)
    if not statements:
        raise ParseError("the reply has no <statement> that is closed")
    return tuple(_runs("".join(_CITE.findall(statement))) for statement in statements)


def _runs(cited: str) -> Runs:
    return tuple((int(first), int(last)) for first, last in _RANGE.findall(cited))


OPERATION = Operation(
    name="cite_longcite",
    template="failsafeqa/longcite",
    inputs=CitationInputs,
    parse=read_reply,
    # the limit of LongCite's own script, at a temperature that can be repeated
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    may_be_cut=True,  # every statement closed before the cut still counts
)
