-- One row per wrong answer of FAITH: how its number differs from the one that the proof gives.
--
-- error   the first of these that fits, each at the precision of the answer:
--         sign       the proof's number with another sign than the expected answer
--         rounding   the proof's number, although the judge wants the sentence's own rounding
--         scale      the right digits, off by hundreds, thousands, millions or billions
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
        coalesce(proofs.scenario, 'no derivation') as scenario,
        judgements.label,
        judgements.details ->> 'answer' as answer,
        cases.target,
        try_cast(judgements.details ->> 'value' as double) as said,
        try_cast(proofs.value as double) as truth,
        0.5 * pow(10, -try_cast(judgements.details ->> 'decimals' as bigint)) * (1 + 1e-9) as tolerance
    from staging.judgements as judgements
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.masked_spans as spans using (release, suite, qa_pair_id)
    left join faith.proofs as proofs using (release, suite, span_id)
    where judgements.label in ('wrong', 'unreadable')

),

-- numbers of all cells that the model is shown
cells as (

    select
        release,
        suite,
        context_id,
        try_cast(replace(regexp_extract(text, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '') as double) as number
    from (
        select
            release,
            suite,
            context_id,
            unnest(cells) as text
        from faith.shown_rows
        semi join wrong using (release, suite, context_id)
    )

),

elsewhere as (

    select distinct wrong.judgement_id
    from wrong
    inner join cells using (release, suite, context_id)
    cross join (values (0), (3), (6), (9)) as scales (power)
    where abs(abs(wrong.said) - cells.number * pow(10, scales.power)) <= wrong.tolerance

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
            when elsewhere.judgement_id is not null then 'elsewhere'
            else 'in no table'
        end as error
    from wrong
    left join elsewhere using (judgement_id)

)

select * from wrong_answers
