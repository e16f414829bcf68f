"""Row types that all suites share, in the order in which rows are made.

A table is a frozen dataclass whose docstring states the grain. Its id comes first, the parent's id
next, so joins lead from any number back to a filing. Character offsets count Unicode code points,
start inclusive, end exclusive. A suite's own row types are in its `rows.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer

from tasks.core.tables import table

# Values by name, stored in order: equal mappings give equal bytes.
Traits = Annotated[
    Mapping[str, str], BeforeValidator(dict), PlainSerializer(lambda traits: sorted(traits.items()))
]

# Partition keys of every call to a model, in all steps.
_CALL_KEYS = ("release", "suite", "operation", "model", "candidate")


# --- ingest ---------------------------------------------------------------------------


@table("filings", keys=("release",), id="filing_id")
class Filing:
    """One annual report as filed."""

    filing_id: str  # accession number, else `sha-` and 16 digits of the content's hash
    cik: str | None  # the SEC's number of the company, without leading zeros
    company: str | None = None  # the company's name, as the filing states it
    sic: str | None = None  # industry, as the SEC's four-digit code
    form: str  # 10-K, 10-K405, 10-KSB, 10-KT, each also with /A; else `dataset`, `tenkbench export`
    period_end: date | None = None  # last day of the fiscal year that the report is about
    filed_date: date | None  # day on which the SEC received it
    format: str  # text, html, ixbrl, or json if it is a record of EDGAR-CORPUS
    source_uri: str  # path below the folder that was read, or the address on EDGAR
    sha256: str  # SHA-256 of the file after decompression
    n_bytes: int  # length of the file after decompression


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One span of an Item of a filing, heading included, in the document's text.

    Most Items are one span. One that a page index maps to several ranges has several. Spans of
    different Items may overlap.
    """

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


@table("documents", keys=("release",), id="document_id", filing_id="filings.filing_id")
class Document:
    """The readable text of one filing: paragraphs separated by one blank line."""

    document_id: str  # one per filing
    filing_id: str
    text: str  # paragraphs in reading order, tables as lines of cells, separated by blank lines
    n_tokens: int  # tokens of the text, by `encoding`
    encoding: str  # tiktoken's name of the encoding that counted the tokens
    items: tuple[Item, ...]  # the Items found, as spans of the text in order of place
    paragraphs: tuple[Paragraph, ...]  # spans of the text; their n_tokens add up to the document's

    def spans_of(self, item: str) -> tuple[Item, ...]:
        """Return the spans of an Item, in order of place; () if it was not found."""
        return tuple(span for span in self.items if span.item == item)


@table("filing_tables", keys=("release",), id="table_id", document_id="documents.document_id")
class FilingTable:
    """One data table of a filing; layout tables are text and do not appear here."""

    table_id: str  # one per document and table
    document_id: str
    item: str | None  # Item that it is in, such as 7 or 1A; null outside all Items
    table_index: int  # place among the document's data tables, from 0
    pre_text: str  # the paragraph before the table, "" if there is none
    cells: tuple[tuple[str, ...], ...]  # text of the cells, by row; in each place that one spans
    html: str | None = None  # th, td, rowspan and colspan; null if a published file gave the table
    scale: str | None = None  # ones, thousands, millions or billions, as stated; null if unknown
    start_char: int  # first character in the document's text, from 0, in Unicode code points
    end_char: int  # end in the document's text, exclusive, in Unicode code points


# --- build ----------------------------------------------------------------------------


@table(
    "contexts",
    keys=("release", "suite", "kind"),
    id="context_id",
    document_ids="documents.document_id",
)
class Context:
    """One text that a model may be shown."""

    context_id: str  # one per kind and text
    document_ids: tuple[str, ...]  # documents that the text shows; the first one's filing counts
    kind: str  # how the text was made, such as `truncated`, `ocr` or `tables`
    text: str  # what the model is shown
    n_tokens: int
    encoding: str
    start_char: int  # where the text starts in the first document's text, from 0
    details: str = "{}"  # JSON: how it was made; contexts with one `group` are asked together


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One quoted span of the document's text: text[start_char:end_char] == quote."""

    start_char: int
    end_char: int
    quote: str


@table("qa_pairs", keys=("release", "suite"), id="qa_pair_id", context_id="contexts.context_id")
class QAPair:
    """One accepted question with its answer and the sentences that support it."""

    qa_pair_id: str  # one per context, query and answer
    context_id: str
    query: str  # the question
    answer: str  # reference answer
    task: str  # `qa` asks for an answer, `tg` for a longer text, `mask` for a hidden figure
    citations: tuple[Citation, ...] = ()  # its support, as spans of the first document's text
    citation_text: str = ""  # the citations as a judge reads them
    quality: int | None = None  # 1 to 5, if the suite rates its pairs
    # by name: the suite slices its metrics by them
    traits: Traits = field(default_factory=dict, hash=False)


@table(
    "cases",
    keys=("release", "suite", "variant"),
    id="case_id",
    qa_pair_id="qa_pairs.qa_pair_id",
    context_id="contexts.context_id",
)
class Case:
    """One thing to be answered: a pair under one variant."""

    case_id: str  # one per pair, suite and variant
    qa_pair_id: str
    suite: str  # benchmark, such as `failsafeqa` or `faith`; `all` for what every suite shares
    variant: str  # `baseline` if unchanged, else the perturbation of query or context
    query: str  # the question as this variant words it
    context_id: str | None  # what the model is shown; null if the prompt has an empty context
    target: str  # reference answer; for an unanswerable case, the answer that the context lacks
    is_answerable: bool  # whether the shown context holds the answer
    # by name: the suite slices its metrics by them
    traits: Traits = field(default_factory=dict, hash=False)
    details: str = "{}"  # JSON: what was changed, precisely enough to undo it


@table("rejects", keys=("release", "suite", "stage"), id="reject_id")
class Reject:
    """One thing that was dropped, and why."""

    reject_id: str  # one per dropped thing, stage and reason
    stage: str  # what was being made: `ingest`, `dataset`, `contexts`, `qa_pairs`, `cases.ocr`, ...
    parent_id: str  # what was dropped, or what it would have been made from
    reason: str  # why, from a closed set, so that reasons can be counted
    detail: str  # the particulars, in words


# --- infer (and every other call to a model) ------------------------------------------


@table("prefixes", keys=_CALL_KEYS)
class Prefix:
    """One prompt head that several requests share byte for byte."""

    prefix_id: str  # one per system message and text
    system: str | None = None  # system message before the prompt
    text: str  # start of the prompt, up to what differs between requests
    n_tokens: int  # tokens of system message and text; of images, an estimate


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
    top_p: float | None = None  # null if it is left to the server


@table(
    "requests",
    keys=_CALL_KEYS,
    id="request_id",
    prefix_id="prefixes.prefix_id",
    case_id="cases.case_id",
)
class Request:
    """One call to a model: prompt = prefix + suffix."""

    request_id: str  # one per operation, model, prompt and subject
    case_id: str | None  # the case that is asked or judged; null if the call is about no case
    subject_id: str  # the row the call is about: a context, a pair, a case, an answer's request
    operation: str  # what is asked, such as `answer`; `prime` warms up a prefix and asks nothing
    model: str  # the model that is called
    prefix_id: str
    suffix: str  # rest of the prompt, after the prefix
    fields: tuple[Field, ...]  # where the operation's inputs are in the prompt
    sampling: Sampling  # sampling parameters of the call
    prompt_sha256: str  # SHA-256 of system message and prompt
    n_prompt_tokens: int  # tokens of the prompt, estimated with cl100k; of images, by their size
    n_cut_tokens: int | None = None  # tokens of the context that the model's window has no room for
    key: str | None  # key in the response cache, equal for equal calls; null if rules answer
    repairs: str | None  # request whose unreadable reply this one repeats; null for most
    shard: int  # part of the step that sent it, from 0
    seq: int  # order in the shard, from 0


@table("responses", keys=_CALL_KEYS, id="request_id", request_id="requests.request_id")
class Response:
    """The answer to, or the failure of, one request."""

    request_id: str
    # `ok`, `error`, or `quarantined` if servers died while it was in flight
    status: Literal["ok", "error", "quarantined"]
    text: str | None = None  # the reply without its thoughts; null if the call failed
    reasoning: str | None = None  # the model's thoughts before the reply; null if it shows none
    finish_reason: str | None = None  # `stop`, `length` if cut off, or the server's own word
    n_prompt: int | None = None  # prompt tokens, as the server reports
    n_cached: int | None = None  # prompt tokens from the server's cache; null if it does not say
    n_output: int | None = None  # output tokens, as the server reports
    latency_ms: float | None = None  # from sending to the last token; null if answered in a batch
    first_token_ms: float | None = None  # from sending to the first token; null if not streamed
    attempts: int  # how often the call was sent; 0 if it was not sent
    error_type: str | None = None  # kind of failure, from a closed set; null if ok
    error: str | None = None  # message of the failure; null if ok
    engine: str  # how the model was reached; `extractive` is a set of rules
    engine_version: str = ""  # version of the engine; "" if it has none
    cost_usd: float | None = None  # dollars for all attempts; null if nothing is paid per token


# --- judge, score ---------------------------------------------------------------------


@table(
    "judgements",
    keys=("release", "suite", "judge", "model"),
    id="judgement_id",
    request_id="responses.request_id",
    other_request_id="responses.request_id",
    case_id="cases.case_id",
    judge_request_id="responses.request_id",
)
class Judgement:
    """One judge's judgement of one answer, or of two compared, or why there is none."""

    judgement_id: str  # one per request, judge and repeat
    request_id: str  # the request whose answer is judged
    other_request_id: str | None = None  # of the answer that is compared, shown second, if any
    case_id: str
    model: str  # the model that gave the answer
    other_model: str | None = None  # that gave the other answer; null if one answer is judged
    judge: str  # a model, a method with its model (`critique=gpt-4o`), or a rule such as `strict`
    repeat: int = 0  # 0: the judgement that counts; from 1: the judge is asked again
    rating: int | None = None  # 1 (worst) to 6 (best), from a judge that rates; else null
    label: str | None = None  # such as `correct` or `wrong`, from a judge that decides; else null
    score: float | None = None  # 0 to 1, from a judge that gives a fraction; else null
    unscored_reason: str | None = None  # why there is no verdict; null if there is one
    rationale: str | None = None  # the judge's reasons
    details: str | None = None  # JSON: what the judge parsed from the answer, if the suite needs it
    judge_request_id: str | None = None  # the request to the judge's model; null if a rule judges


@table(
    "attack_verdicts",
    keys=("release", "suite", "judge"),
    id="attack_verdict_id",
    judge_request_id="responses.request_id",
)
class AttackVerdict:
    """One judge's rating of one answer of the attack set, or why there is none."""

    attack_verdict_id: str  # one per attack and judge
    attack_id: str  # one per scene and answer
    kind: str  # kind of attack; the kinds that begin with `honest` are controls
    rubric: str  # what is judged: `answerable`, `missing_context` or `irrelevant_context`
    answer: str  # the answer that was written to deceive the judge
    at_least: int  # lowest rating that a sound judge may give
    at_most: int  # highest rating that a sound judge may give
    judge: str
    rating: int | None  # 1 (worst) to 6 (best); null if unscored
    unscored_reason: str | None  # why there is no rating; null if there is one
    rationale: str | None
    judge_request_id: str


@table("audit_items", keys=("release", "suite"), id="audit_item_id")
class AuditItem:
    """One answer that `tenkbench audit export` drew for a human to rate."""

    audit_item_id: str  # the only id that an auditor sees; hides model and rating
    draw_id: str  # the export that drew it
    judgement_id: str  # the judgement that is audited, which the auditor does not see
    request_id: str  # the request whose answer is rated
    answer_sha256: str  # SHA-256 of the rated text: `--fresh` may change a request's answer
    rubric: str  # answerable, missing_context or irrelevant_context
    stratum: str  # group that it was drawn from: variant or rubric, whether compliant, model
    n_stratum: int  # answers in the stratum
    n_drawn: int  # answers drawn from it: each stands for n_stratum / n_drawn


@table(
    "audits", keys=("release", "suite"), id="audit_id", audit_item_id="audit_items.audit_item_id"
)
class Audit:
    """One drawn answer, rated by one human."""

    audit_id: str  # one per item and auditor
    audit_item_id: str
    auditor: str  # name that the human goes by
    rating: int  # 1 (worst) to 6 (best)
    note: str | None  # the auditor's remark; null for none


@table("question_items", keys=("release", "suite"), id="question_item_id")
class QuestionItem:
    """One question that `tenkbench audit questions` drew for people to answer."""

    question_item_id: str  # the id on the sheet
    draw_id: str  # the sheet that it was drawn for
    qa_pair_id: str  # or the id of a question that only people are asked
    stratum: str  # kind of question that it was drawn from, or `kind: part`; auditors are not told
    n_stratum: int  # questions in the stratum
    n_drawn: int  # questions drawn from it: each stands for n_stratum / n_drawn


@table(
    "question_audits",
    keys=("release", "suite"),
    id="question_audit_id",
    question_item_id="question_items.question_item_id",
)
class QuestionAudit:
    """One drawn question, answered by one human who then compared the answer with ours."""

    question_audit_id: str  # one per item and auditor
    question_item_id: str
    auditor: str  # name that the human goes by
    answer: str  # the human's own, written before seeing ours
    sources: str  # where the human found it, such as cells; "" if not stated
    answered_at: str  # when `tenkbench audit compare` stored it, in UTC
    agrees: bool | None = None  # whether it is our answer, to the human; null if not rated
    rated_kind: str | None = None  # kind of question, as the human sees it; null if not rated yet
    note: str | None = None  # the human's remark; null for none
    rated_at: str | None = None  # when the rating was imported, in UTC; null if not rated yet


@table("result_sets", keys=("release", "suite"))
class ResultSet:
    """One scoring of a release: the models whose comparisons are one family."""

    suite: str
    release: str
    score_id: str  # hash of its metrics and comparisons: the same numbers have the same id
    version: int  # of the scoring code; raised if the numbers change
    tenkbench: str  # the release of tenkbench that scored
    models: tuple[str, ...]  # every pair of them is compared
    is_current: bool  # false for a set whose older numbers a frozen release keeps


@table("metrics", keys=("release", "suite"))
class Metric:
    """One suite x release x model x judge x metric x slice."""

    suite: str
    release: str
    model: str
    judge: str
    metric: str
    slice_by: str  # `overall`, a dimension such as `variant`, or several: `variant,task`
    slice_value: str  # which answers: `all`, or the value of each dimension: `ocr`, `ocr,tg`
    n: int  # scored units (cases or pairs) behind the value
    n_unscored: int  # units left out of the value: they, or cases that decide them, lack a verdict
    n_groups: int  # filings with a scored unit; in releases of more than 256, groups of filings
    value: float | None  # sum of numerators over that of denominators, or made of others' sums
    # Of the units' own values, or of the bootstrap's replicates if units do not count alike, as for
    # F1, or are 0 or 1; null for a metric made of others
    median: float | None
    mean: float | None  # likewise, also of units that are 0 or 1
    low: float | None  # lower bound of the 95 % interval; null if too few filings are scored
    high: float | None  # upper bound of the 95 % interval; null if too few filings are scored
    worst: float | None  # the value if all unscored units had failed; null if that is not known
    best: float | None  # the value if all that could have passed had; null if that is not known
    score_id: str

    @property
    def slice(self) -> str:
        """The slice's name: `overall`, or `variant=ocr,task=tg`."""
        return slice_name(self.slice_by, self.slice_value)


@table("comparisons", keys=("release", "suite"))
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
    n: int  # units that both models are scored on; of a metric made of others, the fewest
    n_groups: int  # filings with such a unit; in releases of more than 256, groups of filings
    value: float  # of model on the n units; can differ from the metric's value
    other_value: float  # of other_model on the same n units
    difference: float  # value - other_value
    # lower bound of the difference's 95 % interval; null if too few filings are scored, or if a
    # metric made of others differs alike in all of them
    low: float | None
    high: float | None  # upper bound; null if low is
    n_only_model: int | None  # units that only model got right; null if units are not 0 or 1
    n_only_other: int | None  # units that only other_model got right; null if units are not 0 or 1
    p_mcnemar: float | None  # exact, two-sided, units as independent; null if they are not 0 or 1
    p_permutation: float | None  # two-sided, models exchanged by filing; null if p_student is not
    # two-sided, Student's t over filings, of metrics that are no mean of the same units: a
    # permutation tells models of one value, but two profiles, apart too often
    p_student: float | None = None
    p_holm: float  # to quote: the larger of the tests', corrected by Holm for all pairs of models
    # difference that a test at 5 % would find 4 times in 5; null below 6 filings
    minimum_detectable_difference: float | None
    score_id: str


@table("agreements", keys=("release", "suite"))
class Agreement:
    """One measure of how far two raters agree."""

    suite: str
    release: str
    # `two judges`, `judged again`, `audited`, `two auditors`, `raters`, `self-preference`,
    # `own work`, `own answers` or `kinds of questions`
    relation: str
    rater: str  # the judge, auditor or other rater; `all auditors` for all of them together
    other_rater: str  # whom the rater is compared with
    slice_by: str
    slice_value: str
    measure: str  # such as `agreement`, `kappa` or `spearman`
    n: int  # answers that both rated
    n_unscored: int  # answers that one of them left unscored
    n_groups: int  # filings of these answers; in releases of more than 256, groups of filings
    value: float | None  # the measure; null if it is not defined, as a kappa of one label
    low: float | None  # lower bound of the 95 % interval; null if too few filings are rated
    high: float | None  # upper bound of the 95 % interval; null if too few filings are rated
    score_id: str


def slice_name(slice_by: str, slice_value: str) -> str:
    """Name a slice as people type it: `overall`, `variant=ocr`, `variant=ocr,task=tg`."""
    if slice_by == "overall":
        return slice_by
    values = slice_value.split(",", slice_by.count(","))  # a single value may contain a comma
    return ",".join(map("=".join, zip(slice_by.split(","), values, strict=False)))


ROW_TYPES: tuple[type, ...] = (
    Filing, Document, FilingTable, Context, QAPair, Case, Reject, Prefix, Request, Response,
    Judgement, AttackVerdict, AuditItem, Audit, QuestionItem, QuestionAudit, ResultSet, Metric,
    Comparison, Agreement,
)  # fmt: skip
