-- One row per cell that a draft of a question reads, in the order in which the writer names them: what it says of the cell, and what the filing shows there.
--
-- table_index  from 1: number of the table in the snippet
-- shown        text of the filing's cell at this table, row and column; null if there is none, or if the snippet is of no filing
-- row_name     the first cell of its row; column_name, the heads above it: the rows before the first one that has a name
with contexts as (

    select
        release,
        suite,
        context_id,
        document_ids,
        from_json(details::json -> 'table_ids', '["VARCHAR"]') as table_ids
    from raw.contexts

),

operands as (

    select
        release,
        suite,
        draft_id,
        context_id,
        generate_subscripts(operands, 1) as place,
        unnest(operands, recursive := true)
    from raw.drafts

),

draft_operands as (

    select
        operands.release,
        operands.suite,
        operands.draft_id,
        operands.context_id,
        operands.place,
        operands.table_index,
        operands.row as row_index,
        operands.column as column_index,
        operands.text,
        if(contexts.table_ids is null, null, tables.cells[row_index + 1][column_index + 1]) as shown,
        contexts.table_ids is not null as is_of_filing,
        nullif(tables.cells[row_index + 1][1], '') as row_name,
        nullif(
            array_to_string(
                list_distinct(
                    list_filter(
                        list_transform(
                            tables.cells[
                                1:list_position(list_transform(tables.cells[2:], lambda cells: cells[1] != ''), true)
                            ],
                            lambda cells: cells[column_index + 1]
                        ),
                        lambda cell: cell != ''
                    )
                ),
                ' '
            ),
            ''
        ) as column_name
    from operands
    left join contexts using (release, suite, context_id)
    left join raw.filing_tables as tables
        on operands.release = tables.release
        and list_contains(contexts.document_ids, tables.document_id)
        and contexts.table_ids[operands.table_index] = tables.table_id

)

select * from draft_operands
