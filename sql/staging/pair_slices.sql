-- One row per pair and slice that its units lie in by filing and context.
--
-- Where the answer stands says nothing of a case that the context cannot answer: its unit is in no slice of
-- `answer_position`. Slices of `filed_date` become those before and after a model's cutoff, in `staging.sums`.
with described as (

    select
        release,
        suite,
        pair_number,
        group_number,
        unnest(['fiscal_year', 'format', 'sector', 'context_tokens', 'answer_position', 'filed_date']) as slice_by,
        unnest([fiscal_year, format, sector, context_tokens, answer_position, filed_date::varchar]) as slice_value
    from staging.pairs as pairs

)

select * from described
where slice_value is not null
