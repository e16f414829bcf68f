-- One row per cell that a derivation reads and that is no cell of the table that it names.
--
-- A context's details list its tables in the order in which they are numbered; a published file numbers its own. Rows and
-- columns are those of the context, which leaves out what is empty: the cell's text is looked for in the whole table.
with tables as (

    select
        release,
        document_id,
        table_id,
        table_index,
        list_transform(flatten(cells), lambda cell: trim(cell)) as texts
    from raw.filing_tables

),

contexts as (

    select
        release,
        suite,
        context_id,
        document_id,
        from_json(details::json -> 'table_ids', '["VARCHAR"]') as table_ids
    from raw.contexts

),

operands as (

    select
        derivations.release,
        derivations.suite,
        derivations.derivation_id,
        contexts.document_id,
        contexts.table_ids,
        unnest(derivations.operands) as operand
    from raw.derivations as derivations
    inner join raw.masked_spans as spans using (release, suite, span_id)
    inner join contexts
        on spans.release = contexts.release
        and spans.suite = contexts.suite
        and spans.context_id = contexts.context_id

),

strangers as (

    select
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.operand
    from operands
    left join tables
        on operands.release = tables.release
        and operands.document_id = tables.document_id
        and if(
            operands.table_ids is null,
            operands.operand.table_index = tables.table_index,
            operands.table_ids[operands.operand.table_index + 1] = tables.table_id
        )
    where not coalesce(list_contains(tables.texts, trim(operands.operand.text)), false)

)

select * from strangers
