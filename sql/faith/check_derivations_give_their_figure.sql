-- One row per derivation that, computed again from the text of its cells, is not what it says, or does not give its figure.
--
-- Nothing here is shared with the search (`tasks/suites/faith/derivations`): each cell's number is read again, its value must be that
-- number at a scale that the tables name, the operation is applied again (`faith.recomputed`), and what comes out must be the
-- figure at its precision. Signs stand in the sentence's words. What cannot be read here is a fault as well.
-- A published instance has two figures, the sentence's and the stated truth, one of which is derived; its mask may leave
-- the scale outside, and a truth may state a percentage as a bare ratio.
with read as (

    select
        operands.*,
        faith.signed_number(operands.text, operands.before) as number,
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
                abs(number * pow(10, scales.power) - value) <= faith.rounding_error(value)
                -- basis points and cents are hundredths, whatever their table counts in
                and (scales.power = -2) = regexp_matches(text, '(?i:bps)|¢')
                and (scales.named is null or regexp_matches(tables, scales.named))
            ),
            false
        ) as is_cell
    from read
    cross join scales
    group by all

),

computed as (

    select
        release,
        suite,
        derivation_id,
        list(value order by place) as operands,
        bool_and(is_cell) as are_cells
    from scaled
    group by all

),

spans as (

    select
        release,
        suite,
        span_id,
        uid is not null as is_published,
        masked_text,
        truth,
        substring(sentence, end_char + 1) as following
    from raw.masked_spans

),

evaluated as (

    select
        derivations.*,
        computed.operands as numbers,
        computed.are_cells,
        faith.recomputed(derivations.operation, computed.operands) as result
    from raw.derivations as derivations
    left join computed using (release, suite, derivation_id)

),

described as (

    select
        evaluated.release,
        evaluated.suite,
        evaluated.derivation_id,
        evaluated.operation,
        evaluated.value,
        spans.masked_text,
        case
            when numbers is null then 'it reads no cells'
            when not are_cells then 'the value of a cell is not its number at a scale that the tables name'
            when result is null then 'its operation is not known, or its cells do not fit it'
            when not coalesce(abs(result - try_cast(value as double)) <= faith.rounding_error(result), false)
                then 'its operation gives another value'
            when not coalesce(
                -- the macro once for all that may state it: to plan it for each would take longer than all else here
                list_bool_or(
                    list_transform(
                        [{quantity: value::double, stated: masked_text, around: masked_text}]
                        || if(
                            is_published,
                            [
                                {quantity: value::double, stated: masked_text, around: masked_text || following},
                                {quantity: value::double, stated: truth, around: truth},
                                {quantity: value::double, stated: truth, around: truth || following},
                                {quantity: value::double / 100, stated: truth, around: truth}
                            ],
                            []
                        ),
                        lambda each: faith.is_stated_as(each.quantity, each.stated, each.around)
                    )
                ),
                false
            )
                then 'its value is not the figure'
        end as what_is_wrong
    from evaluated
    inner join spans using (release, suite, span_id)

),

misfits as (

    select * from described
    where what_is_wrong is not null

)

select * from misfits
