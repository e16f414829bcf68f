"""A lake of ten million judgements.

24 models of the catalogue, 59,524 pairs of 19,842 filings, seven cases each.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

N_MODELS = 24
N_PAIRS = 59_524
PAIRS_OF_A_FILING = 3
N_JUDGEMENTS = N_MODELS * N_PAIRS * 7

_SIC = ("2834", "3571", "4911", "6021", "5331", "7372", "1311", "8742", "2080", "0100")
_TABLES = {
    "filings": """
        select
            'filing-' || filing_number as filing_id, null::varchar as cik, null::varchar as company,
            $sic[1 + filing_number % 10] as sic, '10-K' as form,
            make_date(1995 + filing_number % 30, 12, 31) as period_end,
            make_date(1996 + filing_number % 30, 3, 1) as filed_date,
            case
                when filing_number % 30 < 6 then 'text'
                when filing_number % 30 < 24 then 'html'
                else 'ixbrl'
            end as format,
            '' as source_uri, '' as sha256, 1::bigint as n_bytes
        from (select distinct filing_number from pairs)""",
    "documents": """
        select
            'document-' || filing_number as document_id, 'filing-' || filing_number as filing_id,
            '' as text, 25000::bigint as n_tokens, 'cl100k_base' as encoding,
            []::struct(item varchar, title varchar, start_char bigint, end_char bigint)[] as items,
            []::struct(start_char bigint, end_char bigint, n_tokens bigint)[] as paragraphs
        from (select distinct filing_number from pairs)""",
    "contexts": """
        select
            'context-' || md5('c' || filing_number)[:16] as context_id,
            ['document-' || filing_number] as document_ids, 'truncated' as kind, '' as text,
            (2000 + 23000 * ((filing_number * 37) % 100) / 100)::bigint as n_tokens,
            'cl100k_base' as encoding, 0::bigint as start_char, '{"n_chars": 100000}' as details
        from (select distinct filing_number from pairs)""",
    "qa_pairs": """
        select
            qa_pair_id, 'context-' || md5('c' || filing_number)[:16] as context_id,
            '' as query, '' as answer, if(pair_number % 6 = 0, 'tg', 'qa') as task,
            [{'start_char': (pair_number * 7919) % 100000, 'end_char': 1::bigint, 'quote': ''}]
                as citations,
            '' as citation_text, 5::bigint as quality
        from pairs""",
    "cases": """
        select
            'case-' || md5(pair_number || '/' || place)[:16] as case_id, qa_pair_id,
            'failsafeqa' as suite, variant, '' as query,
            'context-' || md5('c' || filing_number)[:16] as context_id, '' as target,
            place < 5 as is_answerable, '{}' as details
        from pairs cross join places""",
    # filings differ in how hard they are, models in how good; one answer of a hundred is unscored
    "judgements": """
        select
            'jdg-' || md5(model_number || '/' || pair_number || '/' || place)[:16] as judgement_id,
            'req-' || md5(model_number || 'r' || pair_number || '/' || place)[:16] as request_id,
            'case-' || md5(pair_number || '/' || place)[:16] as case_id,
            name as model, 'Qwen2.5-72B-Instruct' as judge, 0::bigint as repeat,
            case
                when chance(pair_number, place, model_number) < 0.01 then null
                when chance(model_number, pair_number, place)
                    < 0.55 + 0.01 * model_number + 0.2 * chance(filing_number, 1, 1)
                    then 5
                else 2
            end::bigint as rating,
            if(chance(pair_number, place, model_number) < 0.01, 'no verdict', null)
                as unscored_reason,
            'It holds.' as rationale,
            'req-' || md5(pair_number || 'j' || model_number || '/' || place)[:16]
                as judge_request_id
        from models cross join pairs cross join places""",
}


def write_lake(folder: Path, models: list[str], perturbations: list[str]) -> dict[str, list[str]]:
    """Write the lake's Parquet files; returns them by table, as the warehouse takes them."""
    parts = {}
    with duckdb.connect() as connection:
        connection.execute("create macro chance(a, b, c) as (hash(a, b, c) % 1000003) / 1000003")
        connection.execute(
            (
                "create table models as select row_number() over () - 1 as model_number, name "
                "from (select unnest($names) as name)"
            ),
            {"names": models},
        )
        connection.execute(
            f"""create table pairs as select
                range as pair_number,
                'pair-' || md5('p' || range)[:16] as qa_pair_id,
                range // {PAIRS_OF_A_FILING} as filing_number
            from range({N_PAIRS})"""
        )
        connection.execute(
            (
                "create table places as select range as place, "
                "$names[range + 1] as variant from range(7)"
            ),
            {"names": perturbations},
        )
        for table, query in _TABLES.items():
            path = folder / table / "release=dev"
            path = path / (
                "part-0.parquet"
                if table in ("filings", "documents")
                else "suite=failsafeqa/part-0.parquet"
            )
            path.parent.mkdir(parents=True)
            codes = {"sic": list(_SIC)} if "$sic" in query else None
            connection.execute(
                f"copy ({query}) to '{path}' (format parquet, compression zstd)", codes
            )
            parts[table] = [str(path)]
    return parts
