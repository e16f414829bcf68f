-- One row per pair of FAITH and place: what shows its answer, besides its citations, in words.
--
-- Of a figure that cells of the tables give: the operation and what it gives, then each cell with the names of its row and
-- column. Rows and columns are counted from 1 in the table as a model is shown it, which has the number that it is shown
-- under. Of a figure that a panel was asked about: each model's vote and reasons.
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
    inner join raw.derivations as proofs using (release, suite, span_id)

),

-- n_heads: the first row, and those that follow without a name of their own, such as years and units
tables as (

    select
        release,
        suite,
        context_id,
        table_index,
        list(cells order by row_index) as lines,
        coalesce(min(row_index) filter (where row_index > 0 and cells[1] != ''), 1) as n_heads
    from faith.shown_rows
    group by all

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

-- a head over several columns stands in the first of them
cells as (

    select
        operands.*,
        list_filter(
            tables.lines[operands.row_index + 1][1:operands.column_index],
            lambda cell: regexp_matches(cell, '\pL')
        )[1] as row_name,
        list_filter(
            list_transform(
                tables.lines[1:least(tables.n_heads, operands.row_index)],
                lambda cells: list_filter(cells[2:operands.column_index + 1], lambda cell: cell != '')[-1]
            ),
            lambda name: name is not null
        ) as column_names
    from operands
    left join tables using (release, suite, context_id, table_index)

),

evidence as (

    select
        release,
        suite,
        qa_pair_id,
        'Proof' as heading,
        0 as place,
        printf(
            '%s gives %s; score %s of 1: how well the passage names these cells; tables are numbered from 0, as models see them',
            replace(operation, '_', ' '),
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
            coalesce('"' || row_name || '"', 'row ' || (row_index + 1)),
            coalesce('"' || nullif(array_to_string(column_names, ' '), '') || '"', 'column ' || (column_index + 1)),
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
            end,
            votes.rationale
        )
    from spans
    inner join raw.votes as votes using (release, suite, span_id)

)

select * from evidence
