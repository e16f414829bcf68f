"""Every row type of the lake, in the order in which rows are made; those of masked figures are in `tasks.core.masked_rows`.

A table is a frozen dataclass whose docstring states the grain; its Arrow schema is
derived from the annotations (`arrow_schema`), so there is one place where a column is
named. Ids come first, the parent's id next: any number walks back to a filing by joins.
Character offsets count Unicode code points, start inclusive, end exclusive.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Literal

from tasks.core.masked_rows import Derivation, MaskedSpan, Vote

if typing.TYPE_CHECKING:
    import pyarrow as pa

Row = typing.TypeVar("Row")
Task = Literal["qa", "tg", "mask"]


# --- ingest ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """One annual report as filed."""

    filing_id: str  # accession number, else `sha-` and 16 digits of the content's hash
    cik: str | None
    company: str | None
    sic: str | None  # industry, as the SEC's four-digit code
    form: str  # 10-K, 10-K405, 10-KSB, 10-KT, each also with /A
    period_end: date | None
    filed_date: date | None
    format: str  # text, html or ixbrl: how the main document is written
    source_uri: str  # path below the folder that was read, or the address on EDGAR
    sha256: str  # of the bytes after decompression
    n_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One Item of a filing, heading included, as a span of the document's text."""

    item: str  # "1", "1A", ..., "16"
    title: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One paragraph of a document's text. A data table is one paragraph, a row a line."""

    start_char: int
    end_char: int
    n_tokens: int  # of the paragraph and the blank line after it; sums to the document's


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The readable text of one filing: paragraphs separated by one blank line."""

    document_id: str
    filing_id: str
    text: str
    n_tokens: int
    encoding: str  # tiktoken's name of the encoding that counted the tokens
    items: tuple[Item, ...]
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingTable:
    """One data table of a filing; layout tables are text and do not appear here."""

    table_id: str
    document_id: str
    item: str | None
    table_index: int
    pre_text: str  # the paragraph before the table
    cells: tuple[tuple[str, ...], ...]
    html: str | None  # the table with its attributes removed; null in text filings
    scale: str | None  # thousands, millions or billions, where the table or its neighbourhood says so
    start_char: int
    end_char: int


# --- build ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One text that a model may be shown."""

    context_id: str  # hash of kind and text
    document_id: str
    kind: Literal["truncated", "ocr", "dataset", "tables"]
    text: str
    n_tokens: int
    encoding: str
    start_char: int  # where it starts in the document's text
    details: str  # JSON: how it was made


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One quoted span of the document's text: text[start_char:end_char] == quote."""

    start_char: int
    end_char: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QAPair:
    """One accepted question with its answer and the sentences that support it."""

    qa_pair_id: str
    context_id: str
    query: str
    answer: str
    task: Task
    citations: tuple[Citation, ...]
    citation_text: str
    quality: int | None  # 1 to 5, from the rating operation; null for imported datasets
    query_verb: str | None  # root verb of the query's first sentence
    query_object: str | None  # and its direct object
    verb_method: str | None  # how the two were found: spacy:<model> or rule
    traits: str = "{}"  # JSON: trait -> value, both text: what else the suite's metrics are sliced by; {} where nothing is


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to be answered: a pair under one variant."""

    case_id: str
    qa_pair_id: str
    suite: str
    variant: str
    query: str
    context_id: str | None  # null: the prompt keeps its structure, its context is empty
    target: str  # reference answer; for an unanswerable case, the answer that the context lacks
    is_answerable: bool
    details: str  # JSON: what was changed, precisely enough to undo it


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """One thing that did not make it, and why."""

    reject_id: str
    stage: str  # ingest, contexts, qa_pairs, perturbations.<name>, dataset
    parent_id: str
    reason: str  # a short sentence from a closed set, so that reasons can be counted
    detail: str


# --- infer (and every other call to a model) ------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """One prompt head that several requests share byte for byte."""

    prefix_id: str
    text: str
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Where one input of an operation stands in the prompt (prefix + suffix)."""

    name: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What is asked of the decoder."""

    temperature: float
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call to a model: prompt = prefix + suffix."""

    request_id: str
    case_id: str | None
    subject_id: str  # the row the call is about: a context, a pair, a case, an answer's request
    operation: str  # `prime` warms a prefix up for its group and asks nothing
    model: str
    prefix_id: str
    suffix: str
    fields: tuple[Field, ...]
    sampling: Sampling
    prompt_sha256: str
    n_prompt_tokens: int  # cl100k estimate
    key: str | None  # what the ledger knows its answer by; null where rules answer, which are not kept
    repairs: str | None  # the request whose reply could not be read, where this one asks for it once more
    shard: int
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The answer to, or the failure of, one request."""

    request_id: str
    status: Literal["ok", "error", "quarantined"]
    text: str | None
    finish_reason: str | None
    n_prompt: int | None
    n_cached: int | None
    n_output: int | None
    latency_ms: float | None
    attempts: int
    error_type: str | None
    error: str | None
    engine: str
    engine_version: str
    cost_usd: float | None


# --- judge, score ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One case, answered by one model, rated by one judge; or the reason why it is not."""

    judgement_id: str
    request_id: str  # of the answer
    case_id: str
    model: str
    judge: str
    rating: int | None  # 1 to 6, of a judge that rates
    verdict: str | None = None  # correct or wrong, of a judge that decides
    unscored_reason: str | None  # null exactly when there is a rating or a verdict
    rationale: str | None
    details: str | None = (
        None  # JSON: what the judge read out of the answer, where the suite asks for more than a text
    )
    judge_request_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudgement:
    """One answer that a judge was asked to rate again: its second verdict, which no metric counts."""

    rejudgement_id: str
    judgement_id: str  # of the first verdict
    request_id: str  # of the answer
    case_id: str
    model: str
    judge: str
    rating: int | None  # 1 to 6, of a judge that rates
    verdict: str | None = None  # correct or wrong, of a judge that decides
    unscored_reason: str | None  # null exactly when there is a rating or a verdict
    rationale: str | None
    details: str | None = (
        None  # JSON: what the judge read out of the answer, where the suite asks for more than a text
    )
    judge_request_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackVerdict:
    """One answer of the standing set of attacks, rated by one judge; or the reason why it is not."""

    attack_verdict_id: str
    attack_id: str
    kind: str  # what the answer tries
    rubric: str  # answerable, missing_context or irrelevant_context
    answer: str
    at_least: int  # the ratings that a sound judge may give
    at_most: int
    judge: str
    rating: int | None  # 1 to 6
    unscored_reason: str | None  # null exactly when rating is not
    rationale: str | None
    judge_request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditItem:
    """One answer drawn for a human to rate: what stands behind a row of `tenkbench audit export`."""

    audit_item_id: str  # says nothing of model or rating: the only id that an auditor sees
    draw_id: str  # the export that drew it
    judgement_id: str
    request_id: str  # of the answer
    answer_sha256: str  # a rating is about this text; `--fresh` may bring another under the same request
    rubric: str  # answerable, missing_context or irrelevant_context
    stratum: str  # what it was drawn from
    n_stratum: int  # answers in the stratum
    n_drawn: int  # of them drawn: each stands for n_stratum / n_drawn answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One drawn answer, rated by one human."""

    audit_id: str
    audit_item_id: str
    auditor: str
    rating: int  # 1 to 6
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One suite x release x model x judge x metric x slice."""

    suite: str
    release: str
    model: str
    judge: str
    metric: str
    slice: str
    n: int  # scored units (cases or pairs) behind the value
    n_unscored: int
    value: float | None  # null when n is 0
    ci_low: float | None  # ends of the 95 % interval; null where too few filings are scored
    ci_high: float | None
    worst: float | None  # the value if all that is unscored had failed
    best: float | None  # the value if all that is unscored had held


TABLES: dict[str, type] = {
    "filings": Filing,
    "documents": Document,
    "filing_tables": FilingTable,
    "contexts": Context,
    "qa_pairs": QAPair,
    "masked_spans": MaskedSpan,
    "derivations": Derivation,
    "votes": Vote,
    "cases": Case,
    "rejects": Reject,
    "prefixes": Prefix,
    "requests": Request,
    "responses": Response,
    "judgements": Judgement,
    "rejudgements": Rejudgement,
    "attack_verdicts": AttackVerdict,
    "audit_items": AuditItem,
    "audits": Audit,
    "metrics": Metric,
}

# Table -> the keys of its folders, outermost first: `<table>/release=<release>/<key>=<value>`.
# All parts of a table have them. A column that is a key stands in the folder's name alone, not in
# the file, so that the folder and the row agree for every tool that reads Hive partitions.
_CALL_KEYS = ("release", "suite", "operation", "model", "candidate")
PARTITION_KEYS: dict[str, tuple[str, ...]] = {
    "filings": ("release",),
    "documents": ("release",),
    "filing_tables": ("release",),
    "contexts": ("release", "suite", "kind"),
    "qa_pairs": ("release", "suite"),
    "masked_spans": ("release", "suite"),
    "derivations": ("release", "suite"),
    "votes": ("release", "suite"),
    "cases": ("release", "suite", "variant"),
    "rejects": ("release", "suite", "stage"),
    "prefixes": _CALL_KEYS,
    "requests": _CALL_KEYS,
    "responses": _CALL_KEYS,
    "judgements": ("release", "suite", "judge", "model"),
    "rejudgements": ("release", "suite", "judge", "model"),
    "attack_verdicts": ("release", "suite", "judge"),
    "audit_items": ("release", "suite"),
    "audits": ("release", "suite"),
    "metrics": ("release", "suite"),
}


# --- Arrow ----------------------------------------------------------------------------


@cache
def arrow_schema(row_type: type) -> pa.Schema:
    """The Arrow schema of a row type: a column a field, nullable where `| None`."""
    import pyarrow as pa

    return pa.schema(_arrow_fields(row_type))


def _arrow_fields(row_type: type) -> list[pa.Field]:
    import pyarrow as pa

    hints = typing.get_type_hints(row_type)
    return [
        pa.field(f.name, _arrow_type(hints[f.name]), nullable=_is_optional(hints[f.name]))
        for f in dataclasses.fields(row_type)
    ]


def _is_optional(hint: Any) -> bool:
    # `Literal[...] | None` is a typing.Union, `str | None` a types.UnionType
    return typing.get_origin(hint) in (types.UnionType, typing.Union) and type(None) in hint.__args__


def _arrow_type(hint: Any) -> pa.DataType:
    import pyarrow as pa

    if _is_optional(hint):
        (hint,) = (arm for arm in hint.__args__ if arm is not type(None))
    if typing.get_origin(hint) is Literal:
        return pa.string()
    if typing.get_origin(hint) is tuple:
        return pa.list_(pa.field("element", _arrow_type(hint.__args__[0]), nullable=False))
    if dataclasses.is_dataclass(hint):
        return pa.struct(_arrow_fields(typing.cast("type", hint)))
    return {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), date: pa.date32()}[hint]


def to_record(row: Any) -> dict[str, Any]:
    """A row as the nested dict that Arrow takes."""
    return {
        name: getattr(row, name) if encode is None else encode(getattr(row, name))
        for name, encode in _encoders(type(row))  # type: ignore[arg-type]
    }


@cache
def _encoders(row_type: type) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(row_type)
    return tuple((f.name, _encoder(hints[f.name])) for f in dataclasses.fields(row_type))


def _encoder(hint: Any) -> Any:
    """A function from the field's value to what Arrow takes, or None for identity."""
    if typing.get_origin(hint) is tuple:
        inner = _encoder(hint.__args__[0])
        return None if inner is None else lambda values: tuple(inner(value) for value in values)
    return to_record if dataclasses.is_dataclass(hint) else None


@cache
def _decoders(row_type: type) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(row_type)
    return tuple((f.name, _decoder(hints[f.name])) for f in dataclasses.fields(row_type))


def _decoder(hint: Any) -> Any:
    """A function from Arrow's Python value to the field's value, or None for identity."""
    if typing.get_origin(hint) is tuple:
        inner = _decoder(hint.__args__[0])
        if inner is None:
            return tuple
        return lambda values: tuple(inner(value) for value in values)
    if dataclasses.is_dataclass(hint):
        row_type = typing.cast("type", hint)
        return lambda record: from_record(row_type, record)
    return None


def from_record(row_type: type[Row], record: dict[str, Any]) -> Row:
    """The row that `to_record` made into a dict.

    A release is kept for years: a record from before a column was added has the column's default.

    Raises:
        TypeError: the record lacks a column that has no default.
    """
    values = {
        name: record[name] if decode is None else decode(record[name])
        for name, decode in _decoders(row_type)  # type: ignore[arg-type]
        if name in record
    }
    return row_type(**values)
