"""A release's cases and filings as published rows, complete with provenance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.files import replaced
from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Citation, Context, Filing, QAPair
from tasks.lake.arrow import without_pandas
from tasks.lake.lake import Commit, Lake
from tasks.pipeline.steps import committed
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import sql_files

if TYPE_CHECKING:
    import pyarrow as pa

_PROVENANCE = (
    *("filing_id", "accession", "cik", "company", "sic", "form", "period_end", "filed_date"),
    *("edgar_url", "source_uri", "filing_sha256", "filing_bytes"),
)
_OF_CASE = (
    *("case_id", "qa_pair_id", "variant", "is_answerable", "task", "query", "context", "target"),
    *("original_query", "answer", "citations", "citation_text", "quality"),
    *("context_id", "context_kind", "context_tokens", "encoding", "details"),
)
# Rows of a row group. With 100 kB of context each, a reader needs 25 MB of memory.
_ROW_GROUP = 256


@dataclass(frozen=True, slots=True)
class PublishedFiling:
    """A filing of a release, and its EDGAR page if known."""

    filing: Filing
    edgar_url: str | None  # None for an invented company, even if its number looks real

    @property
    def provenance(self) -> dict[str, Any]:
        """The columns that identify the source of a row's text."""
        filing = self.filing
        others = {
            "accession": None if filing.filing_id.startswith("sha-") else filing.filing_id,
            "edgar_url": self.edgar_url,
            "filing_sha256": filing.sha256,
            "filing_bytes": filing.n_bytes,
        }
        return others | {name: getattr(filing, name) for name in _PROVENANCE if name not in others}


def has_evidence(suite: str) -> bool:
    """Return whether the suite has evidence for its pairs besides their citations."""
    return any(file.relation == f"{suite}.evidence" for file in sql_files())


def has_traits(suite: str) -> bool:
    """Return whether the suite slices its metrics by traits of its own."""
    return bool(load_suite(suite).page.dimensions)


def case_schema(suite: str) -> pa.Schema:
    """Return the schema of published cases, one row per case.

    A row has the question as asked, the context as shown, the expected answer and its source.
    """
    import pyarrow as pa

    evidence = pa.list_(pa.struct([("heading", pa.string()), ("said", pa.string())]))
    of_suite = [("traits", pa.string())] if has_traits(suite) else []
    of_suite += [("evidence", evidence)] if has_evidence(suite) else []
    citation = pa.struct(
        [("quote", pa.string()), ("start_char", pa.int64()), ("end_char", pa.int64())]
    )
    others = {
        "is_answerable": pa.bool_(),
        "citations": pa.list_(citation),
        "quality": pa.int64(),
        "context_tokens": pa.int64(),
    }
    of_case = [(name, others.get(name, pa.string())) for name in _OF_CASE]
    return pa.schema([*of_case, *of_suite, *_provenance_fields()])


def filing_schema() -> pa.Schema:
    """Return the schema of published filings, with or without cases."""
    import pyarrow as pa

    return pa.schema([*_provenance_fields(), ("format", pa.string()), ("n_cases", pa.int64())])


def _provenance_fields() -> list[tuple[str, pa.DataType]]:
    import pyarrow as pa

    dated = {"period_end": pa.date32(), "filed_date": pa.date32(), "filing_bytes": pa.int64()}
    return [(name, dated.get(name, pa.string())) for name in _PROVENANCE]


def build_commits(lake: Lake, release: str, suite: str) -> list[Commit]:
    """Return the commits that hold a suite's contexts, pairs and cases."""
    return [
        commit for commit in lake.commits(release) if commit.step.name.startswith(f"{suite}.build.")
    ]


def published_filings(
    lake: Lake, release: str, *, is_of_samples: bool
) -> dict[str, PublishedFiling]:
    """Return the filings of a release by document id."""
    ingested = committed(lake, release, "ingest")
    filings = {filing.filing_id: filing for filing in lake.read(ingested, Filing)}
    query = "select filing_id, macros.edgar_url(cik, filing_id) from raw.filings"
    with open_warehouse(lake.files(release), asked=query) as warehouse:
        urls = dict(warehouse.execute(query).fetchall())
    return {
        document_id: PublishedFiling(filings[filing_id], None if is_of_samples else urls[filing_id])
        for document_id, filing_id in lake.columns(
            ingested, "documents", "document_id", "filing_id"
        )
    }


def evidence_of(lake: Lake, release: str, suite: str) -> dict[str, list[dict[str, str]]]:
    """Map ids of pairs to their evidence lines besides citations, and of cases to their own.

    The mapping is empty if the suite keeps no evidence.
    """
    if not has_evidence(suite):
        return {}
    query = (
        "select coalesce(case_id, qa_pair_id) as id, heading, said from suites.evidence "
        "where suite = $suite order by id, heading, place"
    )
    found: dict[str, list[dict[str, str]]] = {}
    with open_warehouse(lake.files(release), asked=query) as warehouse:
        for id_, heading, said in warehouse.execute(query, {"suite": suite}).fetchall():
            found.setdefault(id_, []).append({"heading": heading, "said": said})
    return found


def filing_rows(
    filings: Iterable[PublishedFiling], n_cases: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """Yield filings sorted by id, each with its number of cases."""
    for published in sorted(filings, key=lambda published: published.filing.filing_id):
        filing = published.filing
        yield {
            **published.provenance,
            "format": filing.format,
            "n_cases": n_cases.get(filing.filing_id, 0),
        }


def n_shards(commits: Sequence[Commit]) -> int:
    """Count the shards of a suite's pairs; each becomes one file."""
    return sum(len(commit.parts_of("qa_pairs")) for commit in commits)


def case_rows(
    lake: Lake,
    commits: Sequence[Commit],
    suite: str,
    shard: int,
    filings: Mapping[str, PublishedFiling],
    evidence: Mapping[str, Sequence[dict[str, str]]],
) -> Iterator[dict[str, Any]]:
    """Yield one shard's cases as rows, pair by pair.

    Each pair's cases come in the order of the suite's variants.

    Args:
        commits: those that hold the suite's contexts, pairs and cases.
        filings: by document id.
        evidence: from `evidence_of`.

    Raises:
        LakeError: a part is missing or damaged.
    """
    parts = [part for commit in commits for part in commit.parts_of("qa_pairs")]
    pairs = list(lake.rows_of(parts[shard], QAPair))
    of_pair: dict[str, list[Case]] = {pair.qa_pair_id: [] for pair in pairs}
    for commit in commits:
        for case in lake.each(commit, Case, only=("qa_pair_id", of_pair.keys())):
            of_pair[case.qa_pair_id].append(case)
    wanted = {case.context_id for cases in of_pair.values() for case in cases if case.context_id}
    wanted |= {pair.context_id for pair in pairs}
    contexts = {
        context.context_id: context
        for commit in commits
        for context in lake.each(commit, Context, only=("context_id", wanted))
    }
    order = {variant: place for place, variant in enumerate(load_suite(suite).variants)}
    for pair in pairs:
        whole = contexts[pair.context_id]
        # of several documents, the first
        filing = filings[whole.document_ids[0]] if whole.document_ids else None
        for case in sorted(
            of_pair[pair.qa_pair_id],
            key=lambda case: (order.get(case.variant, len(order)), case.case_id),
        ):
            row = _case_row(case, pair, whole, contexts.get(case.context_id or ""), filing)
            row |= {
                "traits": canonical_json({**pair.traits, **case.traits}),
                "evidence": [
                    *evidence.get(pair.qa_pair_id, []),
                    *evidence.get(case.case_id, []),
                ],
            }
            yield row


def _case_row(
    case: Case,
    pair: QAPair,
    whole: Context,
    shown: Context | None,
    filing: PublishedFiling | None,
) -> dict[str, Any]:
    return {
        "case_id": case.case_id,
        "qa_pair_id": case.qa_pair_id,
        "variant": case.variant,
        "is_answerable": case.is_answerable,
        "task": pair.task,
        "query": case.query,
        "context": shown.text if shown else None,
        "target": case.target,
        "original_query": pair.query,
        "answer": pair.answer,
        "citations": [
            {"quote": citation.quote, "start_char": start, "end_char": start + len(citation.quote)}
            for citation in pair.citations
            for start in (_place_of(citation, whole),)
        ],
        "citation_text": pair.citation_text,
        "quality": pair.quality,
        "context_id": case.context_id,
        "context_kind": shown.kind if shown else None,
        "context_tokens": shown.n_tokens if shown else None,
        "encoding": shown.encoding if shown else None,
        "details": case.details,
        **(filing.provenance if filing else {}),
    }


def _place_of(citation: Citation, context: Context) -> int:
    """Return where a citation starts in its context, or in the document if it is not in there."""
    start = citation.start_char - context.start_char
    is_there = start >= 0 and context.text.startswith(citation.quote, start)
    return start if is_there else citation.start_char


def write_rows(target: Path, schema: pa.Schema, rows: Iterator[dict[str, Any]]) -> int:
    """Write rows as one Parquet file, atomically; return their number.

    Repeated texts are stored once per row group.

    Raises:
        OSError: the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    without_pandas()
    target.parent.mkdir(parents=True, exist_ok=True)
    n_rows = 0
    # The default page of 1 MiB cannot hold twenty contexts; later ones would be stored repeatedly.
    page = 64 << 20
    with (
        replaced(target) as half_written,
        pq.ParquetWriter(
            half_written, schema, compression="zstd", dictionary_pagesize_limit=page
        ) as file,
    ):
        while portion := list(islice(rows, _ROW_GROUP)):
            file.write_table(pa.Table.from_pylist(portion, schema=schema))
            n_rows += len(portion)
    return n_rows
