-- One row per pair of TableQuest and place: the steps to its answer, as its writer wrote them, and the cells that it reads.
--
-- A cell is named by the first cell of its row and by the heads above it: the rows before the first one that has a name.
with drafts as (

    select drafts.*
    from raw.drafts as drafts
    inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)

),

operands as (

    select
        operands.*,
        drafts.qa_pair_id,
        drafts.calculation,
        tables.cells,
        list_position(list_transform(tables.cells[2:], lambda cells: cells[1] != ''), true) as n_heads
    from tablequest.draft_operands as operands
    inner join drafts using (release, suite, draft_id)
    left join raw.contexts as contexts
        on operands.release = contexts.release
        and operands.suite = contexts.suite
        and operands.context_id = contexts.context_id
    left join raw.filing_tables as tables
        on operands.release = tables.release
        and list_contains(contexts.document_ids, tables.document_id)
        and tables.table_id
        = from_json(contexts.details::json -> 'table_ids', '["VARCHAR"]')[operands.table_index]

),

named as (

    select
        *,
        nullif(cells[row_index + 1][1], '') as row_name,
        nullif(
            array_to_string(
                list_distinct(
                    list_filter(
                        list_transform(cells[1:n_heads], lambda cells: cells[column_index + 1]),
                        lambda cell: cell != ''
                    )
                ),
                ' '
            ),
            ''
        ) as column_name
    from operands

),

evidence as (

    select
        release,
        suite,
        qa_pair_id,
        'Cells' as heading,
        place,
        printf(
            '%stable %d, %s, %s: "%s"',
            if(calculation is null, '', chr(64 + place::int) || ' = '),
            table_index,
            coalesce('"' || row_name || '"', 'row ' || (row_index + 1)),
            coalesce('"' || column_name || '"', 'column ' || (column_index + 1)),
            text
        ) as said
    from named
    union all
    select
        release,
        suite,
        qa_pair_id,
        'Cells',
        len(operands) + 1,
        concat_ws(' = ', calculation, regexp_replace(value, '(\.\d{6})\d+$', '\1…'))
    from drafts
    where calculation is not null
    union all
    select
        release,
        suite,
        qa_pair_id,
        'Steps',
        1,
        cot
    from drafts
    where cot != ''

)

select * from evidence
