"""Row types that all suites share, in the order in which rows are made.

A table is a frozen dataclass whose docstring states the grain. Its id comes first, the parent's id
next, so joins lead from any number back to a filing. Character offsets count Unicode code points,
start inclusive, end exclusive. A suite's own row types are in its `rows.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tasks.core.tables import table

# Partition keys of every call to a model, in all steps.
_CALL_KEYS = ("release", "suite", "operation", "model", "candidate")


# --- ingest ---------------------------------------------------------------------------


@table("filings", keys=("release",))
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
    """One paragraph of a document's text. A data table is one paragraph, one line per row."""

    start_char: int
    end_char: int
    n_tokens: int  # of the paragraph and the blank line after it; sums to the document's


@table("documents", keys=("release",))
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


@table("filing_tables", keys=("release",))
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
    scale: str | None  # thousands, millions or billions, if the table or its surroundings say so
    start_char: int
    end_char: int


# --- build ----------------------------------------------------------------------------


@table("contexts", keys=("release", "suite", "kind"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One text that a model may be shown."""

    context_id: str  # hash of kind and text
    document_ids: tuple[str, ...]  # one or more, in the order in which the text shows them
    kind: str  # of the suite's `page.contexts`
    text: str
    n_tokens: int
    encoding: str
    start_char: int  # in the first document's text
    details: str = "{}"  # JSON: how it was made


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One quoted span of the document's text: text[start_char:end_char] == quote."""

    start_char: int
    end_char: int
    quote: str


@table("qa_pairs", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class QAPair:
    """One accepted question with its answer and the sentences that support it."""

    qa_pair_id: str
    context_id: str
    query: str
    answer: str
    task: str  # of the suite's `page.asked`
    citations: tuple[Citation, ...] = ()
    citation_text: str = ""
    quality: int | None = None  # 1 to 5, if the suite rates its pairs
    query_verb: str | None = None  # root verb of the first sentence, if the suite wants it
    query_object: str | None = None  # the verb's direct object
    verb_method: str | None = None  # how both were found: spacy:<model> or rule
    # the suite slices its metrics by traits
    traits: Mapping[str, str] = field(default_factory=dict, hash=False)


@table("cases", keys=("release", "suite", "variant"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to be answered: a pair under one variant."""

    case_id: str
    qa_pair_id: str
    suite: str
    variant: str
    query: str
    context_id: str | None  # null: same prompt structure with an empty context
    target: str  # reference answer; for an unanswerable case, the answer that the context lacks
    is_answerable: bool
    # the suite slices its metrics by traits
    traits: Mapping[str, str] = field(default_factory=dict, hash=False)
    details: str = "{}"  # JSON: what was changed, precisely enough to undo it


@table("rejects", keys=("release", "suite", "stage"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """One thing that was dropped, and why."""

    reject_id: str
    stage: str  # ingest, dataset, or what the build was making, such as qa_pairs or cases.ocr
    parent_id: str
    reason: str  # from a closed set, so reasons can be counted
    detail: str


# --- infer (and every other call to a model) ------------------------------------------


@table("prefixes", keys=_CALL_KEYS)
@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """One prompt head that several requests share byte for byte."""

    prefix_id: str
    system: str | None = None  # system message before the prompt
    text: str
    n_tokens: int  # of system message and text


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Position of one input of an operation in the prompt (prefix + suffix)."""

    name: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters of a call."""

    temperature: float
    max_tokens: int


@table("requests", keys=_CALL_KEYS)
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call to a model: prompt = prefix + suffix."""

    request_id: str
    case_id: str | None
    subject_id: str  # the row the call is about: a context, a pair, a case, an answer's request
    operation: str  # `prime` warms up a prefix for its group and asks nothing
    model: str
    prefix_id: str
    suffix: str
    fields: tuple[Field, ...]
    sampling: Sampling
    prompt_sha256: str
    n_prompt_tokens: int  # cl100k estimate
    key: str | None  # in the response cache; null if rules answer
    repairs: str | None  # the request that this one repeats because its reply was unreadable
    shard: int
    seq: int


@table("responses", keys=_CALL_KEYS)
@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The answer to, or the failure of, one request."""

    request_id: str
    status: Literal["ok", "error", "quarantined"]
    text: str | None = None
    finish_reason: str | None = None
    n_prompt: int | None = None
    n_cached: int | None = None
    n_output: int | None = None
    latency_ms: float | None = None
    attempts: int
    error_type: str | None = None
    error: str | None = None
    engine: str
    engine_version: str = ""
    cost_usd: float | None = None


# --- judge, score ---------------------------------------------------------------------


@table("judgements", keys=("release", "suite", "judge", "model"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One judge's judgement of one answer, or of two compared, or why there is none."""

    judgement_id: str
    request_id: str  # of the answer
    other_request_id: str | None = None  # of the answer compared with it, shown second
    case_id: str
    model: str
    other_model: str | None = None  # that gave the other answer
    judge: str
    repeat: int = 0  # 0: the judgement that counts; from 1: the judge is asked again
    rating: int | None = None  # 1 to 6, from a judge that rates
    label: str | None = None  # such as correct or wrong, from a judge that decides
    score: float | None = None  # from a judge that gives a fraction
    unscored_reason: str | None = None  # null exactly when there is a rating, a label or a score
    rationale: str | None = None
    details: str | None = None  # JSON: what the judge parsed from the answer, if the suite needs it
    judge_request_id: str | None = None  # null if a rule judges


@table("attack_verdicts", keys=("release", "suite", "judge"))
@dataclass(frozen=True, slots=True, kw_only=True)
class AttackVerdict:
    """One judge's rating of one answer of the attack set, or why there is none."""

    attack_verdict_id: str
    attack_id: str
    kind: str  # of attack
    rubric: str  # answerable, missing_context or irrelevant_context
    answer: str
    at_least: int  # lowest and highest rating that a sound judge may give
    at_most: int
    judge: str
    rating: int | None  # 1 to 6
    unscored_reason: str | None  # null exactly when rating is not
    rationale: str | None
    judge_request_id: str


@table("audit_items", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class AuditItem:
    """One answer that `tenkbench audit export` drew for a human to rate."""

    audit_item_id: str  # hides model and rating: the only id that an auditor sees
    draw_id: str  # the export that drew it
    judgement_id: str
    request_id: str  # of the answer
    answer_sha256: str  # of the rated text; `--fresh` may give the same request another answer
    rubric: str  # answerable, missing_context or irrelevant_context
    stratum: str  # the group it was drawn from
    n_stratum: int  # answers in the stratum
    n_drawn: int  # drawn from it: each stands for n_stratum / n_drawn answers


@table("audits", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One drawn answer, rated by one human."""

    audit_id: str
    audit_item_id: str
    auditor: str
    rating: int  # 1 to 6
    note: str | None


@table("result_sets", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSet:
    """One scoring of a release: the models whose comparisons are one family."""

    suite: str
    release: str
    score_id: str  # hash of the judgements, settings and version that it was scored with
    version: int  # of the scoring code; raised if the numbers change
    tenkbench: str  # the release of tenkbench that scored
    models: tuple[str, ...]
    is_current: bool  # false for a set whose older numbers a frozen release keeps


@table("metrics", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One suite x release x model x judge x metric x slice."""

    suite: str
    release: str
    model: str
    judge: str
    metric: str
    slice_by: str  # overall, a dimension such as variant, or several: variant,task
    slice_value: str  # all, or the value of each dimension: ocr,tg
    n: int  # scored units (cases or pairs) behind the value
    n_unscored: int
    n_groups: int  # filings with a scored unit; more than 256 share groups
    value: float | None  # sum of numerators over sum of denominators; null when n is 0
    median: float | None  # of the units' own values; null for a metric made of others
    mean: float | None  # of the units' own values; null for a metric made of others
    low: float | None  # bounds of the 95 % interval; null if too few filings are scored
    high: float | None
    worst: float | None  # the value if all unscored units had failed
    best: float | None  # the value if all unscored units had passed
    score_id: str

    @property
    def slice(self) -> str:
        """The slice's name: `overall`, or `variant=ocr,task=tg`."""
        return slice_name(self.slice_by, self.slice_value)


@table("comparisons", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two models on the units of a metric and slice that both have scores for."""

    suite: str
    release: str
    judge: str
    metric: str
    slice_by: str
    slice_value: str
    model: str
    other_model: str
    n: int  # units; of a metric made of others, those of the part with fewer
    n_groups: int
    value: float  # of the model on these units
    other_value: float
    difference: float  # value less other_value
    low: float | None  # bounds of the difference's 95 % interval
    high: float | None
    n_only_model: int | None  # units that only the model got right; null if units are not 0 or 1
    n_only_other: int | None
    p_mcnemar: float | None  # exact; it takes units for independent
    p_permutation: float  # models exchanged filing by filing
    p_holm: float  # the larger p, by Holm's method over all pairs of models
    minimum_detectable_difference: float | None  # found 4 times in 5 by a test at 5 %
    score_id: str


@table("agreements", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One measure of how far two raters agree."""

    suite: str
    release: str
    relation: str  # two judges, judged again, audited, two auditors, raters, self-preference
    rater: str
    other_rater: str
    slice_by: str
    slice_value: str
    measure: str  # agreement, kappa, weighted_kappa, pearson, spearman, kendall, distance, ...
    n: int  # answers that both rated
    n_unscored: int
    n_groups: int
    value: float | None
    low: float | None
    high: float | None
    score_id: str


def slice_name(slice_by: str, slice_value: str) -> str:
    """Name a slice as people type it: `overall`, `variant=ocr`, `variant=ocr,task=tg`."""
    if slice_by == "overall":
        return slice_by
    named = zip(slice_by.split(","), slice_value.split(","), strict=False)
    return (
        ",".join("=".join(pair) for pair in named)
        if "," in slice_by
        else f"{slice_by}={slice_value}"
    )


ROW_TYPES: tuple[type, ...] = (
    Filing,
    Document,
    FilingTable,
    Context,
    QAPair,
    Case,
    Reject,
    Prefix,
    Request,
    Response,
    Judgement,
    AttackVerdict,
    AuditItem,
    Audit,
    ResultSet,
    Metric,
    Comparison,
    Agreement,
)
