-- One row per row of a table that a context of tables shows: its place in the table, from 0, and its cells as text.
--
-- `tasks/suites/shared/tables/sheets.py` writes these contexts: for each table a line with its number, then one line of CSV per row.
with lines as (

    select
        release,
        suite,
        context_id,
        unnest(string_split(text, chr(10))) as line,
        generate_subscripts(string_split(text, chr(10)), 1) as place
    from raw.contexts
    where kind = 'tables'

),

headed as (

    select
        *,
        max(if(regexp_matches(line, '^### Table \d+: '), place, null)) over (
            partition by release, suite, context_id order by place
        ) as head
    from lines
    where line != ''

),

heads as (

    select
        *,
        try_cast(regexp_extract(line, '^### Table (\d+): ', 1) as bigint) as table_index
    from headed
    where place = head

),

shown_rows as (

    select
        headed.release,
        headed.suite,
        headed.context_id,
        heads.table_index,
        row_number() over (
            partition by headed.release, headed.suite, headed.context_id, headed.head order by headed.place
        ) - 1 as row_index,
        list_transform(
            regexp_extract_all(',' || headed.line, ',("(?:[^"]|"")*"|[^",]*)', 1),
            lambda cell: if(cell like '"%', replace(cell[2:-2], '""', '"'), cell)
        ) as cells
    from headed
    inner join heads using (release, suite, context_id, head)
    where headed.place > headed.head

)

select * from shown_rows
