-- One row per derivation that, computed again from the text of its cells, is not what it says, or does not give its figure.
--
-- Nothing here is shared with the search (`tasks/suites/faith/derivations`): each cell's number is read again, its value must be that
-- number at a scale that the tables name, the operation is applied again, and what comes out must be the figure at its
-- precision. Words give the sign. What cannot be read here is a fault, too. Numbers are the same if doubles, which hold
-- 15 digits, cannot tell them apart.
with cells as (

    select
        operands.release,
        operands.suite,
        operands.derivation_id,
        operands.place,
        operands.value,
        operands.text,
        -- a minus or a bracket before the number is its sign, also in the cell before; a bracket after it is a note's: `824 (1)`
        try_cast(replace(regexp_extract(operands.text, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '') as double)
        * if(
            regexp_matches(operands.text, '^\s*(?:(?i:down)\b|[^0-9.]*[-−–(])')
            or regexp_matches(coalesce(operands.before, ''), '^\s*(?:[A-Z]{0,2}[$€£¥])?\s*\(\s*$'),
            -1,
            1
        ) as number,
        lower(contexts.text) as tables
    from faith.derivation_operands as operands
    inner join raw.contexts as contexts using (release, suite, context_id)

),

scales as (

    select
        unnest([-2, 0, 3, 6, 9]) as power,
        unnest([null, null, 'thousand|[$(\s]000|000[’'']s', 'million|[$(\s]000,?000', 'billion']) as named

),

scaled as (

    select
        release,
        suite,
        derivation_id,
        place,
        value,
        coalesce(
            bool_or(
                abs(number * pow(10, scales.power) - value) <= greatest(1e-9, abs(value) * 1e-13)
                -- basis points and cents are hundredths, whatever their table counts in
                and (scales.power = -2) = regexp_matches(text, '(?i:bps)|¢')
                and (scales.named is null or regexp_matches(tables, scales.named))
            ),
            false
        ) as is_cell
    from cells
    cross join scales
    group by all

),

operands as (

    select
        release,
        suite,
        derivation_id,
        list(value order by place) as numbers,
        count(*) as n,
        bool_and(is_cell) as are_cells
    from scaled
    group by release, suite, derivation_id

),

computed as (

    select
        derivations.release,
        derivations.suite,
        derivations.span_id,
        derivations.derivation_id,
        derivations.operation,
        derivations.value,
        operands.n,
        operands.are_cells and operands.n = len(derivations.operands) as are_cells,
        macros.derived_value(derivations.operation, operands.numbers) as result
    from raw.derivations as derivations
    left join operands using (release, suite, derivation_id)

),

-- halves are rounded up; what a double cannot tell from a half (1e-9 of the last digit) is one
stated as (

    select distinct
        computed.release,
        computed.suite,
        computed.span_id,
        computed.value,
        figures.masked_text
    from computed
    inner join faith.stated_figures as figures using (release, suite, span_id)
    where
        floor(abs(try_cast(value as double)) * pow(10, decimals - power) + 0.5 + 1e-9)
        = round(number * pow(10, decimals))

),

described as (

    select
        computed.release,
        computed.suite,
        computed.derivation_id,
        computed.operation,
        computed.value,
        spans.masked_text,
        case
            when n is null then 'it reads no cells'
            when not are_cells then 'the value of a cell is not its number at a scale that the tables name'
            when result is null then 'its operation is not known, or its cells do not fit it'
            when not coalesce(abs(result - try_cast(value as double)) <= greatest(1e-9, abs(result) * 1e-13), false)
                then 'its operation gives another value'
            when stated.value is null then 'its value is not the figure'
        end as what_is_wrong
    from computed
    inner join raw.masked_spans as spans using (release, suite, span_id)
    left join stated using (release, suite, span_id, value, masked_text)

)

select * from described
where what_is_wrong is not null
