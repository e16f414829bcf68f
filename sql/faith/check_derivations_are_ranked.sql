-- One row per derivation that is not at its place: they count from 0, each with no better score than the one before it.
with ranked as (

    select
        release,
        suite,
        derivation_id,
        place,
        score,
        row_number() over derivations_of_span - 1 as expected_place,
        lag(score) over derivations_of_span as better
    from raw.derivations
    window derivations_of_span as (partition by release, suite, span_id order by place)

)

select * from ranked
where place != expected_place or score > better or not coalesce(score between 0 and 1, false)
