-- One row per repeat of a judgement that has no first one of the same answer and judge, or did not ask the judge again.
with described as (

    select
        repeats.release,
        repeats.suite,
        repeats.judgement_id,
        case
            when judgements.judgement_id is null or repeats.case_id != judgements.case_id or repeats.model != judgements.model
                then 'no first judgement of the same answer and judge'
            when repeats.judge_request_id is null or judgements.judge_request_id is null
                then 'the judge was not asked'
            when repeats.judge_request_id = judgements.judge_request_id
                then 'the judge was asked once'
        end as what_is_wrong
    from raw.judgements as repeats
    left join staging.judgements as judgements
        on repeats.release = judgements.release
        and repeats.suite = judgements.suite
        and repeats.judge = judgements.judge
        and repeats.request_id = judgements.request_id
        and repeats.other_request_id is not distinct from judgements.other_request_id
    where repeats.repeat > 0

)

select * from described
where what_is_wrong is not null
