-- One row per draft of a question whose proof does not hold when computed again from the text of its cells.
--
-- Nothing here is shared with the proofs in `tasks/suites/tablequest/questions`. Each cell must be the filing's, and its value
-- the number of its text at some scale. The value of an easy draft is its cell's; that of a medium one is what its calculation
-- gives (`tablequest.calculations`). Either value must be the answer, whose number, scale and sign are read again.
with cells as (

    select
        *,
        try_cast(replace(regexp_extract(text, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '') as double)
        * if(regexp_matches(text, '^\s*(?:(?i:down)\b|[^0-9.]*[-−–(])'), -1, 1) as number
    from tablequest.draft_operands

),

checked as (

    select
        release,
        suite,
        draft_id,
        count(*) as n,
        first(text order by place) as text,
        first(value order by place) as value,
        bool_and(coalesce(if(is_of_filing, shown = text, is_in_snippet), false)) as are_cells,
        bool_and(
            value is null
            or coalesce(
                list_bool_or(
                    list_transform(
                        [-2, 0, 3, 6, 9],
                        lambda power: abs(number * pow(10, power) - value) <= greatest(1e-9, abs(value) * 1e-13)
                    )
                ),
                false
            )
        ) as are_numbers
    from cells
    group by release, suite, draft_id

),

-- groups of zeros only name a scale; percent and basis points are compared in percent, and a ratio either way
answers as (

    select
        release,
        suite,
        draft_id,
        level,
        calculation,
        proved,
        unproved_reason,
        try_cast(value as double) as value,
        lower(trim(answer, ' .')) as answer,
        regexp_extract(replace(answer, ' ', ''), '([0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)') as digits,
        regexp_replace(digits, '(?:,000)+$', '') as stated,
        (length(digits) - length(stated)) // 4 * 3
        + case
            when regexp_matches(answer, '(?i)[0-9]\s*(?:thousand|k\b)') then 3
            when regexp_matches(answer, '(?i)[0-9]\s*(?:million|mm?\b|mn\b)') then 6
            when regexp_matches(answer, '(?i)[0-9]\s*(?:billion|bn?\b)') then 9
            when regexp_matches(answer, '(?i)basis points?|\bbps?\b|\bcents?\b|¢') then -2
            else 0
        end as power,
        length(split_part(stated, '.', 2)) as decimals,
        try_cast(replace(stated, ',', '') as double) * pow(10, power)
        * if(regexp_matches(answer, '(?i)^[^0-9.]*(?:[-−–(]|\bminus\b|\bnegative\b)'), -1, 1) as number,
        regexp_matches(answer, '(?i)%|percent|basis points?|\bbps?\b') as is_percent
    from raw.drafts

),

described as (

    select
        answers.release,
        answers.suite,
        answers.draft_id,
        answers.level,
        answers.answer,
        answers.value,
        case
            when (answers.unproved_reason is not null) != (answers.proved is not distinct from false)
                then 'it says that it is proved and why not, or neither'
            when not checked.are_cells then 'it reads what is no cell of its table'
            when not checked.are_numbers then 'the value of a cell is not its number at any scale'
            when answers.proved is distinct from true then null
            when checked.n is null then 'it reads no cells'
            when answers.level not in ('easy', 'medium') then 'its level has no proof'
            when answers.level = 'easy' and checked.n != 1 then 'it reads more than one cell'
            when answers.level = 'easy' and answers.value is null
                then if(answers.answer = lower(trim(checked.text, ' .')), null, 'its answer is not the text of its cell')
            when answers.level = 'easy'
                and not coalesce(abs(answers.value - checked.value) <= greatest(1e-9, abs(checked.value) * 1e-13), false)
                then 'its value is not that of its cell'
            when answers.level = 'medium' and answers.calculation is null then 'it has no calculation'
            when answers.level = 'medium'
                and not coalesce(
                    abs(answers.value - calculations.result) <= greatest(1e-9, abs(answers.value) * 1e-9), false
                )
                then 'its calculation does not give its value'
            when not coalesce(
                list_bool_or(
                    list_transform(
                        if(answers.is_percent, [1, 100], [1]),
                        lambda factor: abs(answers.number - answers.value * factor)
                            <= pow(10, answers.power - answers.decimals) * 0.5 + greatest(1e-9, abs(answers.number) * 1e-12)
                    )
                ),
                false
            )
                then 'its value is not its answer'
        end as what_is_wrong
    from answers
    left join checked using (release, suite, draft_id)
    left join tablequest.calculations using (release, suite, draft_id)

)

select * from described
where what_is_wrong is not null
