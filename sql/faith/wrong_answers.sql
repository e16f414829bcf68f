-- One row per wrong answer of FAITH: how its number differs from the one that the proof gives.
--
-- error   the first of these that fits, each at the precision of the answer:
--         sign       the proof's number with another sign than the expected answer
--         rounding   the proof's number, although the judge wants the sentence's own rounding
--         scale      the right digits, off by hundreds, thousands, millions or billions
--         operation  another operation on the proof's cells, or one of the cells itself
--         period     the proof's operation on other columns of its rows, whose heads name another time
--         column     the same, whose heads name no time
--         row        the proof's operation with another row in place of one of its rows
--         elsewhere  a number of another cell, in whatever scale
--         in no table; no number, if the answer has none; no proof, if the figure has none
--         unreadable, if the reply has no answer
-- An accident can look like any of them.
with wrong as (

    select
        judgements.release,
        judgements.suite,
        judgements.judgement_id,
        judgements.case_id,
        judgements.model,
        judgements.judge,
        spans.context_id,
        proofs.derivation_id,
        coalesce(proofs.scenario, 'no derivation') as scenario,
        proofs.operation,
        judgements.label,
        judgements.details ->> 'answer' as answer,
        cases.target,
        try_cast(judgements.details ->> 'value' as double) as said,
        try_cast(proofs.value as double) as truth,
        0.5 * pow(10, -try_cast(judgements.details ->> 'decimals' as bigint)) * (1 + 1e-9) as tolerance
    from staging.judgements as judgements
    inner join raw.cases as cases
        on judgements.release = cases.release
        and judgements.suite = cases.suite
        and judgements.case_id = cases.case_id
    inner join raw.masked_spans as spans
        on cases.release = spans.release
        and cases.suite = spans.suite
        and cases.qa_pair_id = spans.qa_pair_id
    left join faith.proofs as proofs
        on spans.release = proofs.release
        and spans.suite = proofs.suite
        and spans.span_id = proofs.span_id
    where judgements.label in ('wrong', 'unreadable')

),

cells as (

    select
        *,
        try_cast(replace(regexp_extract(text, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '') as double)
        * if(regexp_matches(text, '^[^0-9.]*[-−–(]'), -1, 1) as number
    from (
        select
            release,
            suite,
            context_id,
            table_index,
            row_index,
            unnest(cells) as text,
            generate_subscripts(cells, 1) - 1 as column_index
        from faith.shown_rows
        semi join wrong using (release, suite, context_id)
    )
    where text != ''

),

-- what a cell of the proof counts in is what its column and row count in, too
operands as (

    select
        operands.*,
        value / nullif(cells.number, 0) as factor
    from faith.derivation_operands as operands
    semi join wrong using (release, suite, derivation_id)
    inner join cells using (release, suite, context_id, table_index, row_index, column_index)

),

numbers as (

    select
        release,
        suite,
        derivation_id,
        list(value order by place) as numbers
    from operands
    group by all

),

-- the proof's cells moved: all of them by some columns, or one of their rows to another row
shifts as (

    select distinct
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.table_index,
        null as from_row,
        0 as to_row,
        cells.column_index - operands.column_index as by_columns
    from operands
    inner join cells using (release, suite, context_id, table_index, row_index)
    where cells.column_index != operands.column_index and cells.number is not null
    union all
    select distinct
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.table_index,
        operands.row_index,
        cells.row_index,
        0
    from operands
    inner join cells using (release, suite, context_id, table_index, column_index)
    where cells.row_index != operands.row_index and cells.number is not null

),

moved as (

    select
        shifts.release,
        shifts.suite,
        shifts.derivation_id,
        shifts.from_row,
        shifts.to_row,
        shifts.by_columns,
        shifts.from_row is null as is_column,
        bool_and(
            shifts.from_row is null
            and exists (
                from cells as heads
                where
                    heads.release = cells.release
                    and heads.suite = cells.suite
                    and heads.context_id = cells.context_id
                    and heads.table_index = cells.table_index
                    and heads.column_index = cells.column_index
                    and heads.row_index < cells.row_index
                    and regexp_matches(heads.text, '(?i)\b(19|20)\d\d\b|quarter|months|week|year')
            )
        ) as is_period,
        list(cells.number * operands.factor order by operands.place) as numbers
    from shifts
    inner join operands using (release, suite, derivation_id, table_index)
    inner join cells
        on operands.release = cells.release
        and operands.suite = cells.suite
        and operands.context_id = cells.context_id
        and operands.table_index = cells.table_index
        and operands.column_index + shifts.by_columns = cells.column_index
        and if(operands.row_index = shifts.from_row, shifts.to_row, operands.row_index) = cells.row_index
    where cells.number is not null
    group by all

),

operations as (

    select unnest(['lookup', 'difference', 'percent_change', 'share', 'sum', 'basis_points']) as operation

),

results as (

    select
        wrong.judgement_id,
        'operation' as error,
        macros.derived_value(
            operations.operation,
            if(len(numbers.numbers) = 2 and orders.is_reversed, list_reverse(numbers.numbers), numbers.numbers)
        ) as result
    from wrong
    inner join numbers using (release, suite, derivation_id)
    cross join operations
    cross join (values (false), (true)) as orders (is_reversed)
    union all
    select
        wrong.judgement_id,
        'operation',
        unnest(numbers.numbers)
    from wrong
    inner join numbers using (release, suite, derivation_id)
    union all
    select
        wrong.judgement_id,
        case when moved.is_period then 'period' when moved.is_column then 'column' else 'row' end,
        macros.derived_value(wrong.operation, moved.numbers)
    from wrong
    inner join moved using (release, suite, derivation_id)
    union all
    select
        wrong.judgement_id,
        'elsewhere',
        cells.number * pow(10, scales.power)
    from wrong
    inner join cells using (release, suite, context_id)
    cross join (values (0), (3), (6), (9)) as scales (power)

),

found as (

    select
        wrong.judgement_id,
        list_distinct(list(results.error)) as errors
    from wrong
    inner join results using (judgement_id)
    where abs(abs(wrong.said) - abs(results.result)) <= wrong.tolerance
    group by wrong.judgement_id

),

wrong_answers as (

    select
        wrong.release,
        wrong.case_id,
        wrong.model,
        wrong.judge,
        wrong.scenario,
        wrong.answer,
        wrong.target,
        case
            when wrong.label = 'unreadable' then 'unreadable'
            when wrong.said is null then 'no number'
            when wrong.truth is null then 'no proof'
            when wrong.truth != 0 and abs(abs(wrong.said) - abs(wrong.truth)) <= wrong.tolerance
                -- words may give the sign: a proof of -16 expects 16 where the sentence says "decreased"
                then if((wrong.said < 0) = regexp_matches(wrong.target, '^[^0-9.]*[-−–(]'), 'rounding', 'sign')
            when list_bool_or(
                list_transform(
                    [-9, -6, -3, -2, 2, 3, 6, 9],
                    lambda power: wrong.said != 0
                        and abs(abs(wrong.said) - abs(wrong.truth) * pow(10, power)) <= wrong.tolerance
                )
            ) then 'scale'
            else coalesce(
                list_filter(
                    ['operation', 'period', 'column', 'row', 'elsewhere'],
                    lambda error: list_contains(found.errors, error)
                )[1],
                'in no table'
            )
        end as error
    from wrong
    left join found using (judgement_id)

)

select * from wrong_answers
