-- One row per judgement of FAITH whose label is neither correct nor wrong.
with unknown as (

    select
        release,
        suite,
        judgement_id,
        label
    from raw.judgements
    where suite = 'faith' and label not in ('correct', 'wrong')

)

select * from unknown
