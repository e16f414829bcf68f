-- One row per pair, judged model and slice of `staging.pair_slices` that the pair's cases lie in.
with models as (

    select distinct
        judgements.release,
        judgements.suite,
        judgements.model,
        cutoffs.cutoff
    from staging.judgements as judgements
    left join raw.cutoffs as cutoffs using (release, suite, model)

),

judged_pair_slices as (

    select
        pair_slices.release,
        pair_slices.suite,
        pair_slices.qa_pair_id,
        models.model,
        pair_slices.slice,
        pair_slices.is_of_answers
    from staging.pair_slices as pair_slices
    inner join models
        on pair_slices.release = models.release
        and pair_slices.suite = models.suite
        and coalesce(pair_slices.cutoff = models.cutoff, pair_slices.cutoff is null)

)

select * from judged_pair_slices
