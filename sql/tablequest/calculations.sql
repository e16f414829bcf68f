-- One row per draft of a question with a calculation that can be computed: what it gives, by the values of its cells.
--
-- Python's arithmetic has no part in it. A number is written <number> and a name becomes its cell's value; then brackets
-- around a number go, and one operation at a time becomes its result: signs first, then * and /, then + and -.
with recursive cells as (

    select
        release,
        suite,
        draft_id,
        list(value order by place) as cell_values
    from tablequest.draft_operands
    group by all

),

written as (

    select
        drafts.release,
        drafts.suite,
        drafts.draft_id,
        array_to_string(
            list_transform(
                regexp_extract_all(drafts.calculation, '[A-Z]|[0-9.]+|\S'),
                lambda token: case
                    when regexp_matches(token, '[A-Z]')
                        then coalesce('<' || cells.cell_values[ascii(token) - 64] || '>', token)
                    when regexp_matches(token, '[0-9]') then '<' || token || '>'
                    else token
                end
            ),
            ''
        ) as text
    from raw.drafts as drafts
    left join cells using (release, suite, draft_id)
    where drafts.calculation is not null

),

steps as (

    select * from written
    union all
    select
        release,
        suite,
        draft_id,
        coalesce(
            nullif(without_brackets, text),
            operation.before
            || '<'
            || case operation.sign
                when '*' then try_cast(operation.a as double) * try_cast(operation.b as double)
                when '/' then try_cast(operation.a as double) / try_cast(operation.b as double)
                when '+' then coalesce(try_cast(operation.a as double), 0) + try_cast(operation.b as double)
                when '-' then coalesce(try_cast(operation.a as double), 0) - try_cast(operation.b as double)
            end
            || '>'
            || operation.after
        )
    from (
        select
            *,
            regexp_replace(text, '\((<[^<>]*>)\)', '\1') as without_brackets,
            list_filter(
                [
                    regexp_extract(text, '^(|.*?[-+*/(])()([-+])<([^<>]*)>(.*)$', ['before', 'a', 'sign', 'b', 'after']),
                    regexp_extract(text, '^(|.*?[-+(])<([^<>]*)>([*/])<([^<>]*)>(.*)$', ['before', 'a', 'sign', 'b', 'after']),
                    regexp_extract(text, '^(|.*?\()<([^<>]*)>([-+])<([^<>]*)>(|[-+)].*)$', ['before', 'a', 'sign', 'b', 'after'])
                ],
                lambda found: found.sign != ''
            )[1] as operation
        from steps
    )
    where without_brackets != text or operation is not null

),

calculations as (

    select
        release,
        suite,
        draft_id,
        try_cast(regexp_extract(text, '^<([^<>]*)>$', 1) as double) as result
    from steps
    where result is not null

)

select * from calculations
