-- One row per rejudgement that is not of its judgement's answer and judge, or rests on no verdict of its own.
with rejudgements as (

    select * from raw.rejudgements

),

judgements as (

    select * from raw.judgements

),

described as (

    select
        rejudgements.release,
        rejudgements.suite,
        rejudgements.rejudgement_id,
        case
            when judgements.judgement_id is null
                then 'no such judgement'
            when
                rejudgements.request_id != judgements.request_id
                or rejudgements.case_id != judgements.case_id
                or rejudgements.model != judgements.model
                then 'another answer'
            when rejudgements.judge != judgements.judge
                then 'another judge'
            when rejudgements.judge_request_id is null or judgements.judge_request_id is null
                then 'the judge was not asked'
            when rejudgements.judge_request_id = judgements.judge_request_id
                then 'the judge was asked once'
        end as what_is_wrong
    from rejudgements
    left join judgements using (release, suite, judgement_id)

),

misfits as (

    select * from described
    where what_is_wrong is not null

)

select * from misfits
