"""A release's cases and filings as published rows, complete with provenance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.files import replaced
from tasks.lake.arrow import without_pandas

if TYPE_CHECKING:
    import duckdb

# Rows of a row group. With 100 kB of context each, a reader needs 25 MB of memory.
_ROW_GROUP = 256
# Filings by their documents. An invented company has no page on EDGAR, whatever its number.
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
CASES = f"""
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
OF_FILINGS = f"""
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
READ = f"{CASES};{OF_FILINGS}"


def write_rows(
    warehouse: duckdb.DuckDBPyConnection, target: Path, query: str, parameters: Mapping[str, Any]
) -> int:
    """Write a query's rows as one Parquet file, atomically; return their number.

    Repeated texts are stored once per row group.
    """
    import pyarrow.parquet as pq

    without_pandas()
    target.parent.mkdir(parents=True, exist_ok=True)
    reader = warehouse.sql(query, params=parameters).to_arrow_reader(_ROW_GROUP)
    n_rows = 0
    with (
        replaced(target) as half_written,
        pq.ParquetWriter(
            half_written,
            reader.schema,
            compression="zstd",
            # The default page of 1 MiB cannot hold twenty contexts; later ones would repeat.
            dictionary_pagesize_limit=64 << 20,
        ) as file,
    ):
        for batch in reader:
            file.write_batch(batch, row_group_size=_ROW_GROUP)
            n_rows += batch.num_rows
    return n_rows
