-- One row per wrong answer of FAITH: what went wrong with the model's figure.
--
-- error   the first of these that fits, at the precision of the answer, or of the figure if that is coarser:
--         unreadable, no number   (unreadable also if the judge cannot read the sentence's own figure)
--         label         the sentence's own figure: the published answer is another one
--         sign, unit    the figure with another sign, or as something else: a rate for an amount, euros for dollars
--         rounding      the figure, rounded more coarsely than the judge allows, or one off in its last place
--         scale         its digits, off by hundreds, thousands, millions or billions
--         copied        another figure of the passage
--         operation     a cell of the proof as it stands, or what another operation gives of its cells
--         period, line  a cell of a row that the figure follows from, or of another row, in whatever scale
--         calculation   none of these: computed from other cells, computed wrongly, or invented
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
        spans.span_id,
        pairs.traits['scenario'] as scenario,
        judgements.label,
        judgements.rationale,
        judgements.details ->> 'answer' as answer,
        cases.target,
        cases.query,
        (judgements.details ->> 'is_written')::boolean as is_written,
        try_cast(judgements.details ->> 'value' as double) as said,
        try_cast(judgements.details ->> 'expected' as double) as expected,
        0.5 * pow(10, -try_cast(judgements.details ->> 'decimals' as bigint)) * (1 + 1e-9) as tolerance,
        0.5 * pow(10, -try_cast(judgements.details ->> 'expected_decimals' as bigint)) * (1 + 1e-9) as of_expected,
        greatest(tolerance, of_expected) as coarser,
        tolerance <= of_expected or judgements.rationale in ('another unit', 'another currency') as is_of_another_unit,
        -- half of the last digit of a whole number that is no zero: 100 stands for 139
        if(tolerance < 0.5, 0, 0.5) * pow(10, len(regexp_extract(judgements.details ->> 'value', '^-?[1-9][0-9]*?(0*)$', 1))) as rounded
    from staging.judgements as judgements
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.qa_pairs as pairs using (release, suite, qa_pair_id)
    inner join raw.masked_spans as spans using (release, suite, qa_pair_id)
    where judgements.label in ('wrong', 'unreadable')

),

-- of the proof, if there is one: its cells' numbers and rows
proved as (

    select
        spans.release,
        spans.suite,
        spans.span_id,
        list(operands.value order by operands.place) as numbers,
        list((operands.table_index, operands.row_index)) as places
    from raw.derivations as spans
    inner join faith.derivation_operands as operands using (release, suite, derivation_id)
    group by all

),

-- what the model is shown: cells with the place of their row, and words of the passage without
shown as (

    select
        wrong.judgement_id,
        (shown_rows.table_index, shown_rows.row_index) as place,
        unnest(shown_rows.cells) as text
    from wrong
    inner join faith.shown_rows as shown_rows using (release, suite, context_id)
    union all
    select
        judgement_id,
        null,
        unnest(string_split_regex(query, '\s'))
    from wrong

),

-- the places that show the answer, and those that show the expected figure, in whatever scale
places as (

    select
        wrong.judgement_id,
        list(shown.place) filter (where abs(abs(wrong.said) - number) <= wrong.tolerance) as of_answer,
        bool_or(shown.place is null and abs(abs(wrong.said) - number) <= wrong.tolerance) as is_copied,
        list(shown.place) filter (where abs(abs(wrong.expected) - number) <= wrong.of_expected) as of_figure
    from wrong
    inner join (
        select
            judgement_id,
            place,
            try_cast(replace(regexp_extract(text, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '') as double)
            * unnest([1, 1e3, 1e6, 1e9]) as number
        from shown
    ) as shown using (judgement_id)
    group by all

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
        abs(wrong.said) as size,
        abs(wrong.expected) as right_size,
        case
            when wrong.label = 'unreadable' then 'unreadable'
            when wrong.said is null then 'no number'
            when wrong.is_written then if(wrong.rationale like '%is not read', 'unreadable', 'label')
            when abs(size - right_size) <= wrong.coarser and wrong.said * wrong.expected < 0 then 'sign'
            when abs(size - right_size) <= wrong.coarser and wrong.is_of_another_unit then 'unit'
            when abs(size - right_size) <= greatest(wrong.rounded, least(2 * wrong.coarser, 0.02 * right_size)) then 'rounding'
            when list_bool_or([
                abs(size - right_size * pow(10, power)) <= greatest(wrong.tolerance, pow(10, power) * wrong.of_expected) and size != 0
                for power in [-9, -6, -3, -2, 2, 3, 6, 9]
            ]) then 'scale'
            when places.is_copied then 'copied'
            when list_bool_or([
                list_min([abs(size - abs(number) / scale) for scale in [1, 1e3, 1e6]]) <= wrong.tolerance
                for number in list_concat(
                    if(len(proved.numbers) > 1, proved.numbers, []),
                    [
                        macros.derived_value(operation, proved.numbers)
                        for operation in ['sum', 'difference', 'percent_change', 'share']
                    ]
                )
            ]) then 'operation'
            when list_has_any(places.of_answer, list_concat(proved.places, places.of_figure)) then 'period'
            when len(places.of_answer) > 0 then 'line'
            else 'calculation'
        end as error
    from wrong
    left join proved using (release, suite, span_id)
    left join places using (judgement_id)

)

select * exclude (size, right_size) from wrong_answers
