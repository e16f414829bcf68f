-- One row per release, suite, auditor and slice: how far people's own answers, and their kinds of questions, agree with ours.
--
-- No rows without `tenkbench audit questions`.
-- `rater` is an auditor, or all of them together; a question that two were given counts twice there. Agreements with their
-- intervals are for all questions that the drawn ones stand for. `tenkbench score` computes them after an import, and they
-- are null until then.
with agreements as (

    select
        release,
        suite,
        rater,
        slice_by,
        slice_value,
        n as n_rated,
        max(value) filter (where relation = 'own answers') as agreement,
        max(low) filter (where relation = 'own answers') as agreement_low,
        max(high) filter (where relation = 'own answers') as agreement_high,
        max(value) filter (where relation = 'kinds of questions') as kind_agreement,
        max(low) filter (where relation = 'kinds of questions') as kind_agreement_low,
        max(high) filter (where relation = 'kinds of questions') as kind_agreement_high
    from reports.agreements
    where relation in ('own answers', 'kinds of questions') and measure = 'agreement'
    group by all

),

by_slice as (

    select
        *,
        unnest(['overall', 'task']) as slice_by,
        unnest(['all', task]) as slice_value
    from (
        select
            * exclude (auditor),
            unnest([auditor, 'all auditors']) as rater
        from staging.question_audits as question_audits
    )

),

counted as (

    select
        release,
        suite,
        rater,
        slice_by,
        slice_value,
        count(*) as n_drawn,
        count(answer) as n_answered,
        count(agrees) as n_rated,
        count(*) filter (where agrees) as n_agreed,
        count(*) filter (where rated_kind = task) as n_same_kind,
        list(qa_pair_id order by qa_pair_id) filter (where not agrees) as disagreed,
        list(qa_pair_id || ': ' || rated_kind order by qa_pair_id) filter (where rated_kind != task) as other_kinds,
        list(qa_pair_id order by qa_pair_id) filter (where answer is null) as not_answered,
        list(qa_pair_id order by qa_pair_id) filter (where answer is not null and agrees is null) as not_rated
    from by_slice
    group by all

)

select
    release,
    suite,
    rater,
    slice_by,
    slice_value,
    n_drawn,
    n_answered,
    n_rated,
    n_agreed,
    agreement,
    agreement_low,
    agreement_high,
    n_same_kind,
    kind_agreement,
    kind_agreement_low,
    kind_agreement_high,
    disagreed,
    other_kinds,
    not_answered,
    not_rated
from counted
left join agreements using (release, suite, rater, slice_by, slice_value, n_rated)
order by release, suite, rater, slice_by, slice_value
