-- One row per pair of TableQuest and place: the steps to its answer, as its writer wrote them, and the cells that it reads.
with drafts as (

    select drafts.*
    from raw.drafts as drafts
    inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)

),

evidence as (

    select
        release,
        suite,
        drafts.qa_pair_id,
        'Cells' as heading,
        operands.place,
        printf(
            '%stable %d, %s, %s: "%s"',
            if(drafts.calculation is null, '', chr(64 + operands.place::int) || ' = '),
            operands.table_index,
            coalesce('"' || operands.row_name || '"', 'row ' || (operands.row_index + 1)),
            coalesce('"' || operands.column_name || '"', 'column ' || (operands.column_index + 1)),
            operands.text
        ) as said
    from tablequest.draft_operands as operands
    inner join drafts using (release, suite, draft_id)
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
