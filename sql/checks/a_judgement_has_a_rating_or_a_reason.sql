-- One row per judgement with neither rating nor reason, with both, or with a rating that is not 1 to 6.
with judgements as (

    select
        release,
        suite,
        judgement_id,
        rating,
        unscored_reason
    from raw.judgements

),

undecided as (

    select * from judgements
    where
        (rating is null) = (unscored_reason is null)
        or rating not between 1 and 6

)

select * from undecided
