"""Citations in LongCite's format: sentences numbered in the prompt, numbers cited in the reply.

Source of the format: LongCite (Zhang et al., 2024), whose model FailSafeQA used to extract
citations. The document's sentences are tagged `<C0>`, `<C1>`, ...; the reply is a list of
`<statement>text<cite>[i-j][k-l]</cite></statement>`, i to j inclusive. `parse` follows the
official post-processing in what it skips, clips, merges and keeps.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.suites.failsafeqa.citations.statements import RawStatement, Statement, resolve

_LEAST_STRAY_CHARS = 6  # text outside statements that is shorter is no statement

_STATEMENT = re.compile(r"<statement>(.*?)</statement>", re.DOTALL)
_CITE = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_RANGE = re.compile(r"\[([0-9]{1,4000})-([0-9]{1,4000})\]")  # Python reads no longer numbers
_FULL_WIDTH_END = re.compile(r"[。；！？]")
_BLANK_LINE = re.compile(r"\n\n")


@lru_cache(maxsize=2)
def sentence_starts(context: str) -> tuple[int, ...]:
    """Where the sentences of a context start; each reaches to the next one's start, the last to the end.

    The official splitter: NLTK's Punkt, trained on the context itself, then a break after each
    full-width `。；！？`; where that gives one sentence, blank lines divide. Cached, since
    training costs most of the time, and tagging and reading both need them.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    starts: list[int] = []
    for start, end in PunktSentenceTokenizer(context).span_tokenize(context):
        starts.extend(_piece_starts(context, start, end, _FULL_WIDTH_END))
    if len(starts) <= 1:
        starts = _piece_starts(context, 0, len(context), _BLANK_LINE)
    return tuple(starts)


def _piece_starts(text: str, start: int, end: int, divider: re.Pattern[str]) -> list[int]:
    """Where the pieces between dividers start, outer blanks apart; blank pieces are none."""
    bounds = [start, *(found.end() for found in divider.finditer(text, start, end)), end]
    starts = []
    for left, right in itertools.pairwise(bounds):
        piece = text[left:right]
        if piece.strip():
            starts.append(left + len(piece) - len(piece.lstrip()))
    return starts


def sentence_spans(context: str) -> list[tuple[int, int]]:
    """The sentences of a context as spans of characters, the blanks after each included."""
    starts = sentence_starts(context)
    return list(itertools.pairwise((*starts, len(context))))


def tag_sentences(context: str) -> str:
    """The context with `<C0>`, `<C1>`, ... before its sentences, spacing kept, outer blanks dropped."""
    return "".join(
        f"<C{number}>{context[start:end]}" for number, (start, end) in enumerate(sentence_spans(context))
    ).strip()


def tagged(context: str) -> tuple[str, list[tuple[int, int]]]:
    """The tagged context and its sentences: what asking and reading need, in one piece of work."""
    return tag_sentences(context), sentence_spans(context)


def read_statements(model_output: str) -> list[RawStatement]:
    """The statements of a reply and the texts between them, in order; what is not closed is dropped."""
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
    """A reply's statements with their citations as spans of the context.

    Texts outside statements are listed too, in their places; `citation` is empty for a statement
    without a valid citation, and None for what states nothing.
    """
    return resolve(read_statements(model_output), sentence_spans(context), context)


# --- the operation --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is cited.

    The answer stands in the prompt, which LongCite's own lacks: what has to be supported is the
    pair's answer, not the one that the citing model would give.
    """

    context: str  # tagged: `tag_sentences`
    query: str
    answer: str


def read_reply(reply: str) -> tuple[RawStatement, ...]:
    """The statements of a reply.

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
    # the most that LongCite's own script asks for, at a temperature that can be repeated
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    may_be_cut=True,  # every closed statement before the cut still counts
)
