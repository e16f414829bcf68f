-- One row per cell that a derivation reads, in the order in which its operation takes them: what it says of the cell, and what is shown there.
--
-- shown   the cell's text at its table, row and column of the context; null where there is no such cell
with operands as (

    select
        derivations.release,
        derivations.suite,
        derivations.derivation_id,
        spans.context_id,
        generate_subscripts(derivations.operands, 1) as place,
        unnest(derivations.operands, recursive := true)
    from raw.derivations as derivations
    inner join raw.masked_spans as spans using (release, suite, span_id)

),

derivation_operands as (

    select
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.context_id,
        operands.place,
        operands.table_index,
        operands.row as row_index,
        operands.column as column_index,
        operands.text,
        try_cast(operands.value as double) as value,
        shown.cells[column_index + 1] as shown
    from operands
    left join faith.shown_rows as shown
        on operands.release = shown.release
        and operands.suite = shown.suite
        and operands.context_id = shown.context_id
        and operands.table_index = shown.table_index
        and operands.row = shown.row_index

)

select * from derivation_operands
