-- One row per level of TableQuest and source: how long the questions and answers of this release are and how large their tables, and the paper's (table 1).
--
-- Each pair counts, and each table once per pair. Characters are whole. Columns are those that a reader counts; the paper counts those of the
-- filings' HTML, where a currency sign or a gap may be a column.
with shown as (

    select
        release,
        suite,
        context_id,
        unnest(json_extract_string(details, '$.table_ids[*]')) as table_id
    from raw.contexts
    where suite = 'tablequest' and kind = 'snippet'

),

sizes as (

    select
        shown.release,
        shown.suite,
        shown.context_id,
        count(*) as n_tables,
        sum(len(tables.cells)) as n_rows,
        sum(len(tables.cells[1])) as n_columns
    from shown
    inner join raw.filing_tables as tables using (release, table_id)
    group by all

),

printed (level, question_chars, answer_chars, tables_per_context, rows_per_table, columns_per_table) as (

    values
    ('easy', 90.19::double, 27.70::double, 1.82::double, 11.31::double, 13.94::double),
    ('medium', 135.04, 15.61, 1.90, 10.87, 13.32),
    ('hard', 162.79, 202.61, 1.86, 10.49, 13.44)

),

shape as (

    select
        'this release' as source,
        pairs.release,
        pairs.task as level,
        count(*) as n_pairs,
        round(avg(length(pairs.query)))::bigint as mean_question_chars,
        round(avg(length(pairs.answer)))::bigint as mean_answer_chars,
        sum(sizes.n_tables) / count(*) as mean_tables,
        sum(sizes.n_rows) / sum(sizes.n_tables) as mean_rows,
        sum(sizes.n_columns) / sum(sizes.n_tables) as mean_columns
    from raw.qa_pairs as pairs
    left join sizes using (release, suite, context_id)
    where pairs.suite = 'tablequest'
    group by all

    union all by name

    select
        'paper (Pan et al. 2024)' as source,
        level,
        80 as n_pairs,
        round(question_chars)::bigint as mean_question_chars,
        round(answer_chars)::bigint as mean_answer_chars,
        tables_per_context as mean_tables,
        rows_per_table as mean_rows,
        columns_per_table as mean_columns
    from printed

)

select * from shape
order by list_position(['easy', 'medium', 'hard'], level), source desc, release
