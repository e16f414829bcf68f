-- One row per pair of FAITH and place: what shows its answer, besides its citations, in words.
--
-- Of a figure that cells of the tables give: the operation and what it gives, then each cell with the names of its row and
-- column. Rows and columns are counted from 1 in the table as a model is shown it, which has the number that it is shown
-- under. Of a figure that a panel was asked about: each model's vote.
with spans as (

    select
        release,
        suite,
        span_id,
        context_id,
        qa_pair_id
    from raw.masked_spans
    where qa_pair_id is not null

),

proofs as (

    select
        spans.qa_pair_id,
        spans.context_id,
        proofs.*
    from spans
    inner join faith.proofs as proofs using (release, suite, span_id)

),

operands as (

    select * rename ("row" as row_index, "column" as column_index) from (
        select
            release,
            suite,
            qa_pair_id,
            context_id,
            generate_subscripts(operands, 1) as place,
            unnest(operands, recursive := true)
        from proofs
    )

),

tables as (

    select distinct
        release,
        suite,
        qa_pair_id,
        context_id,
        table_index
    from operands

),

rows_of_tables as (

    select
        tables.*,
        shown.row_index,
        shown.cells
    from tables
    inner join faith.shown_rows as shown using (release, suite, context_id, table_index)

),

-- the first row, and those that follow without a name of their own: years, units
heads as (

    select rows_of_tables.*
    from rows_of_tables
    left join (
        select
            release,
            suite,
            qa_pair_id,
            table_index,
            min(row_index) as first_named
        from rows_of_tables
        where row_index > 0 and cells[1] != ''
        group by all
    ) as bodies using (release, suite, qa_pair_id, table_index)
    where rows_of_tables.row_index < coalesce(bodies.first_named, 1)

),

column_names as (

    select
        release,
        suite,
        qa_pair_id,
        place,
        string_agg(name, ' ' order by row_index) as column_name
    from (
        select
            operands.release,
            operands.suite,
            operands.qa_pair_id,
            operands.place,
            heads.row_index,
            -- a head over several columns stands in the first of them
            list_filter(heads.cells[2:operands.column_index + 1], lambda cell: cell != '')[-1] as name
        from operands
        inner join heads using (release, suite, qa_pair_id, table_index)
        where heads.row_index < operands.row_index
    )
    where name is not null
    group by all

),

cells as (

    select
        operands.*,
        coalesce(
            '"' || list_filter(
                rows_of_tables.cells[1:operands.column_index], lambda cell: regexp_matches(cell, '\pL')
            )[1] || '"',
            'row ' || (operands.row_index + 1)
        ) as row_name,
        coalesce('"' || column_names.column_name || '"', 'column ' || (operands.column_index + 1)) as column_name
    from operands
    left join rows_of_tables using (release, suite, qa_pair_id, table_index, row_index)
    left join column_names using (release, suite, qa_pair_id, place)

),

evidence as (

    select
        release,
        suite,
        qa_pair_id,
        'Proof' as heading,
        0 as place,
        printf(
            '%s (%s) gives %s; score %s of 1: how well the passage names these cells; tables are numbered from 0, as models see them',
            replace(operation, '_', ' '),
            scenario,
            regexp_replace(value, '(\.\d{6})\d+$', '\1…'),  -- a quotient has no last digit
            macros.share_in_digits(score)
        ) as said
    from proofs
    union all
    select
        release,
        suite,
        qa_pair_id,
        'Proof',
        place,
        printf(
            'table %d, %s, %s: "%s", which is %s (row %d, column %d)',
            table_index,
            row_name,
            column_name,
            text,
            value,
            row_index + 1,
            column_index + 1
        )
    from cells
    union all
    select
        spans.release,
        spans.suite,
        spans.qa_pair_id,
        'Votes',
        row_number() over (partition by spans.release, spans.suite, spans.qa_pair_id order by votes.model),
        concat_ws(
            ': ',
            votes.model,
            case
                when votes.is_answerable then 'the tables give the figure'
                when not votes.is_answerable then 'the tables do not give the figure'
                else votes.unread_reason
            end
        )
    from spans
    inner join raw.votes as votes using (release, suite, span_id)

)

select * from evidence
