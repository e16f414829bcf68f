-- One row per pair and slice that its cases lie in by filing and context, of models with a certain cutoff where one is given.
--
-- Where the answer stands says nothing of a case that the context cannot answer: those lie in no such slice, which
-- `is_of_answers` tells. What is filed on the day of a model's cutoff is before it. A model without a stated cutoff
-- has no such slices, nor has a filing without a date.
with pairs as (

    select * from staging.pairs

),

cutoffs as (

    select distinct
        release,
        suite,
        cutoff
    from raw.cutoffs

),

of_filings as (

    select
        release,
        suite,
        qa_pair_id,
        pair_number,
        unnest([
            'fiscal_year=' || fiscal_year,
            'format=' || format,
            'sector=' || sector,
            'context_tokens=' || context_tokens,
            'answer_position=' || answer_position
        ]) as slice,
        null::date as cutoff
    from pairs

),

filed as (

    select
        release,
        suite,
        pairs.qa_pair_id,
        pairs.pair_number,
        if(pairs.filed_date <= cutoffs.cutoff, 'filed=before cutoff', 'filed=after cutoff') as slice,
        cutoffs.cutoff
    from pairs
    inner join cutoffs using (release, suite)
    where pairs.filed_date is not null

),

pair_slices as (

    select
        *,
        slice like 'answer_position=%' as is_of_answers
    from (
        from of_filings
        union all
        from filed
    )
    where slice is not null

)

select * from pair_slices
