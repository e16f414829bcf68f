-- One row per pair of TableQuest and table of its snippet that it reads, or per table if it names no cells: the table's HTML and the cells.
with pairs as (

    select
        release,
        suite,
        qa_pair_id,
        context_id
    from raw.qa_pairs
    where suite = 'tablequest'

),

tables as (

    select
        release,
        suite,
        context_id,
        generate_subscripts(tables, 1) as place,
        unnest(tables) as html
    from (
        select
            release,
            suite,
            context_id,
            list_filter(
                string_split(text, chr(10) || chr(10)), lambda block: starts_with(block, '<table>')
            ) as tables
        from raw.contexts
        where suite = 'tablequest' and kind = 'snippet'
    )

),

operands as (

    select
        drafts.release,
        drafts.suite,
        drafts.qa_pair_id,
        operands.table_index as place,
        list([operands.row_index, operands.column_index] order by operands.place) as marked
    from tablequest.draft_operands as operands
    inner join raw.drafts as drafts using (release, suite, draft_id)
    group by all

),

shown_tables as (

    select
        pairs.release,
        pairs.qa_pair_id,
        tables.place,
        tables.html,
        coalesce(operands.marked, []) as marked
    from pairs
    inner join tables using (release, suite, context_id)
    left join operands using (release, suite, qa_pair_id, place)
    where
        operands.marked is not null
        or (release, suite, qa_pair_id) not in (select (release, suite, qa_pair_id) from operands where qa_pair_id is not null)

)

select * from shown_tables
order by release, qa_pair_id, place
