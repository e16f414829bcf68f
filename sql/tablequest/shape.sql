-- One row per release and level of TableQuest: how long its questions and answers are, and how large their tables.
--
-- Paper 001, Table 1. Each pair counts, and each table once per pair. Columns are those that a reader counts; the paper
-- counts those of the filings' HTML, where a currency sign or a gap may be a column.
with pairs as (

    select
        release,
        suite,
        context_id,
        task as level,
        length(query) as question_chars,
        length(answer) as answer_chars
    from raw.qa_pairs
    where suite = 'tablequest'

),

pair_means as (

    select
        release,
        level,
        count(*) as n_pairs,
        avg(question_chars) as mean_question_chars,
        avg(answer_chars) as mean_answer_chars
    from pairs
    group by all

),

shown as (

    select
        release,
        suite,
        context_id,
        unnest(json_extract_string(details, '$.table_ids[*]')) as table_id
    from raw.contexts
    where suite = 'tablequest' and kind = 'snippet'

),

filing_tables as (

    select
        release,
        table_id,
        len(cells) as n_rows,
        len(cells[1]) as n_columns
    from raw.filing_tables

),

table_means as (

    select
        pairs.release,
        pairs.level,
        count(*) as n_tables,
        avg(filing_tables.n_rows) as mean_rows,
        avg(filing_tables.n_columns) as mean_columns
    from pairs
    inner join shown using (release, suite, context_id)
    inner join filing_tables using (release, table_id)
    group by all

),

shape as (

    select
        pair_means.release,
        pair_means.level,
        pair_means.n_pairs,
        pair_means.mean_question_chars,
        pair_means.mean_answer_chars,
        table_means.n_tables / pair_means.n_pairs as mean_tables,
        table_means.mean_rows,
        table_means.mean_columns
    from pair_means
    left join table_means using (release, level)

)

select * from shape
order by release, list_position(['easy', 'medium', 'hard'], level)
