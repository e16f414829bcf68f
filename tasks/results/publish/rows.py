"""A release's cases and filings as published rows, complete with provenance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.files import replaced
from tasks.lake.arrow import without_pandas
from tasks.suites.registry import load_suite
from tasks.warehouse.sql_files import sql_files

if TYPE_CHECKING:
    import duckdb

# Rows of a row group. With 100 kB of context each, a reader needs 25 MB of memory.
_ROW_GROUP = 256

# Filings by their documents. An invented company has no page on EDGAR, even if its number looks
# real.
FILINGS = """
    select
        documents.document_id, filings.filing_id,
        if(starts_with(filings.filing_id, 'sha-'), null, filings.filing_id) as accession,
        cik, company, sic, form, period_end, filed_date,
        if($is_of_samples, null, macros.edgar_url(cik, filings.filing_id)) as edgar_url,
        source_uri, sha256 as filing_sha256, n_bytes as filing_bytes, format
    from raw.filings as filings
    inner join (select distinct document_id, filing_id from raw.documents) as documents
        using (filing_id)
"""

# One row per case: the question as asked, the context as shown, the expected answer and its source.
# A citation starts in the pair's context, or in the document if it is not in there. Of several
# documents, the filing is the first one's.
_CASES = f"""
with filings as ({FILINGS}),
evidence as (
    select
        coalesce(case_id, qa_pair_id) as id,
        list({{heading: heading, said: said}} order by heading, place) as lines
    from suites.evidence where suite = $suite group by all
),
rows as (
    select
        cases.case_id, cases.qa_pair_id, cases.variant, cases.is_answerable, qa_pairs.task,
        cases.query, shown.text as context, cases.target,
        qa_pairs.query as original_query, qa_pairs.answer,
        list_transform(qa_pairs.citations, lambda each: {{
            quote: each.quote,
            start_char: each.start_char - if(
                each.start_char >= whole.start_char and each.quote = substring(
                    whole.text, each.start_char - whole.start_char + 1, len(each.quote)
                ),
                whole.start_char, 0
            )
        }}) as places,
        list_transform(places, lambda each: {{
            quote: each.quote, start_char: each.start_char,
            end_char: each.start_char + len(each.quote)
        }}) as citations,
        qa_pairs.citation_text, qa_pairs.quality, cases.context_id, shown.kind as context_kind,
        shown.n_tokens as context_tokens, shown.encoding, cases.details,
        to_json(map_concat(qa_pairs.traits, cases.traits))::varchar as traits,
        coalesce(of_pair.lines, []) || coalesce(of_case.lines, []) as evidence,
        filings.* exclude (document_id, format)
    from raw.cases as cases
    inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
    inner join raw.contexts as whole
        on cases.suite = whole.suite and qa_pairs.context_id = whole.context_id
    left join raw.contexts as shown
        on cases.suite = shown.suite and cases.context_id = shown.context_id
    left join filings on whole.document_ids[1] = filings.document_id
    left join evidence as of_pair on cases.qa_pair_id = of_pair.id
    left join evidence as of_case on cases.case_id = of_case.id
    where cases.suite = $suite
    order by
        cases.qa_pair_id, coalesce(list_position($variants, cases.variant), 99), cases.case_id
)
select * exclude (places) from rows
"""
_FILINGS = f"""
with filings as ({FILINGS}),
counts as (
    select document_id, count(*) as n_cases
    from raw.cases as cases
    inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
    inner join (select suite, context_id, document_ids[1] as document_id from raw.contexts) as whole
        on cases.suite = whole.suite and qa_pairs.context_id = whole.context_id
    group by all
)
select filings.* exclude (document_id, format), format, coalesce(sum(n_cases), 0)::bigint as n_cases
from filings left join counts using (document_id)
group by all order by filing_id
"""
READ = f"{_CASES};{_FILINGS}"


def has_evidence(suite: str) -> bool:
    """Return whether the suite has evidence for its pairs besides their citations."""
    return any(file.relation == f"{suite}.evidence" for file in sql_files())


def has_traits(suite: str) -> bool:
    """Return whether the suite slices its metrics by traits of its own."""
    return bool(load_suite(suite).page.dimensions)


def write_cases(
    warehouse: duckdb.DuckDBPyConnection, target: Path, suite: str, *, is_of_samples: bool
) -> int:
    """Write a suite's cases pair by pair, in the order of its variants; return their number."""
    of_suite = {"traits": has_traits(suite), "evidence": has_evidence(suite)}
    without = [name for name, is_there in of_suite.items() if not is_there]
    given = {"suite": suite, "variants": [*load_suite(suite).variants]}
    return _write(warehouse, target, _CASES, given | {"is_of_samples": is_of_samples}, without)


def write_filings(
    warehouse: duckdb.DuckDBPyConnection, target: Path, *, is_of_samples: bool
) -> int:
    """Write the filings of a release, with or without cases; return their number."""
    return _write(warehouse, target, _FILINGS, {"is_of_samples": is_of_samples}, ())


def _write(
    warehouse: duckdb.DuckDBPyConnection,
    target: Path,
    query: str,
    given: Mapping[str, Any],
    without: Collection[str],
) -> int:
    """Write a query's rows, without some columns, as one Parquet file, atomically.

    Repeated texts are stored once per row group.
    """
    import pyarrow.parquet as pq

    without_pandas()
    target.parent.mkdir(parents=True, exist_ok=True)
    reader = warehouse.execute(query, given).to_arrow_reader(_ROW_GROUP)
    names = [name for name in reader.schema.names if name not in without]
    schema = reader.schema
    for name in without:
        schema = schema.remove(schema.get_field_index(name))
    n_rows = 0
    # The default page of 1 MiB cannot hold twenty contexts; later ones would be stored repeatedly.
    page = 64 << 20
    with (
        replaced(target) as half_written,
        pq.ParquetWriter(
            half_written, schema, compression="zstd", dictionary_pagesize_limit=page
        ) as file,
    ):
        for batch in reader:
            file.write_batch(batch.select(names), row_group_size=_ROW_GROUP)
            n_rows += batch.num_rows
    return n_rows
