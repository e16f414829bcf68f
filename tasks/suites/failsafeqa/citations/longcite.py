"""Citations in LongCite's format: numbered sentences in the prompt, numbers in the reply.

Source of the format: LongCite (Zhang et al., 2024), whose model FailSafeQA used to extract
citations. The document's sentences are tagged `<C0>`, `<C1>`, ...; the reply is a list of
`<statement>text<cite>[i-j][k-l]</cite></statement>`, i to j inclusive. `parse` skips, clips,
merges and keeps runs as the official post-processing does.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.suites.failsafeqa.citations.statements import RawStatement, Statement, resolve

_LEAST_STRAY_CHARS = 6  # shorter text outside statements is no statement

_STATEMENT = re.compile(r"<statement>(.*?)</statement>", re.DOTALL)
_CITE = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_RANGE = re.compile(r"\[([0-9]{1,4000})-([0-9]{1,4000})\]")  # Python reads no longer numbers
_FULL_WIDTH_END = re.compile(r"[。；！？]")
_BLANK_LINE = re.compile(r"\n\n")


@lru_cache(maxsize=2)
def sentence_starts(context: str) -> tuple[int, ...]:
    """Find where the sentences of a context start.

    Each reaches to the next one's start, the last to the end. This is the official splitter: NLTK's
    Punkt, trained on the context itself, then a break after each full-width `。；！？`. If
    that gives one sentence, blank lines divide. Cached: training takes most of the time, and
    tagging and reading both need it.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    starts: list[int] = []
    for start, end in PunktSentenceTokenizer(context).span_tokenize(context):
        starts.extend(_piece_starts(context, start, end, _FULL_WIDTH_END))
    if len(starts) <= 1:
        starts = _piece_starts(context, 0, len(context), _BLANK_LINE)
    return tuple(starts)


def _piece_starts(text: str, start: int, end: int, divider: re.Pattern[str]) -> list[int]:
    """Find where the non-empty pieces between dividers start, without outer whitespace."""
    bounds = [start, *(found.end() for found in divider.finditer(text, start, end)), end]
    starts = []
    for left, right in itertools.pairwise(bounds):
        piece = text[left:right]
        if piece.strip():
            starts.append(left + len(piece) - len(piece.lstrip()))
    return starts


def sentence_spans(context: str) -> list[tuple[int, int]]:
    """Split a context into spans of sentences, each with the whitespace after it."""
    starts = sentence_starts(context)
    return list(itertools.pairwise((*starts, len(context))))


def tag_sentences(context: str) -> str:
    """Put `<C0>`, `<C1>`, ... before sentences; keep inner spacing."""
    return "".join(
        f"<C{number}>{context[start:end]}"
        for number, (start, end) in enumerate(sentence_spans(context))
    ).strip()


def tagged(context: str) -> tuple[str, list[tuple[int, int]]]:
    """Tag a context and split it: all that asking and reading need."""
    return tag_sentences(context), sentence_spans(context)


def read_statements(model_output: str) -> list[RawStatement]:
    """Read a reply's closed statements and the texts between them, in order."""
    statements: list[RawStatement] = []
    position = 0
    for found in _STATEMENT.finditer(model_output):
        statements.append(_stray(model_output[position : found.start()]))
        statements.append(_tagged(found.group(1)))
        position = found.end()
    statements.append(_stray(model_output[position:].partition("<statement>")[0]))
    return statements


def _stray(text: str) -> RawStatement:
    return RawStatement(text, () if len(text.strip()) >= _LEAST_STRAY_CHARS else None)


def _tagged(inner: str) -> RawStatement:
    if not inner:
        return RawStatement("", None)
    cited = "".join(_CITE.findall(inner))
    ranges = tuple((int(first), int(last)) for first, last in _RANGE.findall(cited))
    return RawStatement(_CITE.sub("", inner), ranges)


def parse(context: str, model_output: str) -> list[Statement]:
    """Read a reply's statements with their citations as spans of the context.

    Texts between statements are listed in their places. `citation` is empty for a statement without
    a valid citation, and None for text that states nothing.
    """
    return resolve(read_statements(model_output), sentence_spans(context), context)


# --- the operation --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs.

    Unlike LongCite's own, the prompt shows the answer: the pair's answer needs support, not the one
    that the citing model would give.
    """

    context: str  # tagged: `tag_sentences`
    query: str
    answer: str


def read_reply(reply: str) -> tuple[RawStatement, ...]:
    """Read the statements of a reply.

    Raises:
        ParseError: no statement is tagged.
    """
    if not _STATEMENT.search(reply):
        raise ParseError("the reply has no <statement> that is closed")
    return tuple(read_statements(reply))


OPERATION = Operation(
    name="cite_longcite",
    template="failsafeqa/longcite",
    inputs=Inputs,
    parse=read_reply,
    # the limit of LongCite's own script, at a temperature that can be repeated
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    may_be_cut=True,  # every statement closed before the cut still counts
)
