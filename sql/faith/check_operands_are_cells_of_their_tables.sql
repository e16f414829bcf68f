-- One row per cell that a derivation reads and that is not what its context shows at its place, or no cell of the filing's table.
--
-- A context's details list its tables in the order in which they are numbered; a published file numbers its own. Rows and
-- columns are those of the context, which leaves out what is empty: in the filing's table the text may stand anywhere.
with contexts as (

    select
        release,
        suite,
        context_id,
        document_ids,
        from_json(details::json -> 'table_ids', '["VARCHAR"]') as table_ids
    from raw.contexts

),

described as (

    select
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.place,
        operands.text,
        case
            when operands.shown is distinct from operands.text
                then 'the context shows ' || coalesce('"' || operands.shown || '"', 'nothing') || ' at its place'
            when not coalesce(list_contains([trim(cell) for cell in flatten(tables.cells)], trim(operands.text)), false)
                then 'the table of the filing has no such cell'
        end as what_is_wrong
    from faith.derivation_operands as operands
    left join contexts using (release, suite, context_id)
    left join raw.filing_tables as tables
        on operands.release = tables.release
        and list_contains(contexts.document_ids, tables.document_id)
        and if(
            contexts.table_ids is null,
            operands.table_index = tables.table_index,
            contexts.table_ids[operands.table_index + 1] = tables.table_id
        )

)

select * from described
where what_is_wrong is not null
