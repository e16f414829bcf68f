-- One row per release, model, judge, metric and thing that FailSafeQA counts: a case, or a pair; null where it is unscored.
--
-- compliance           share of answers rated 4 or better; of a case
-- context_grounding    the same of answers to what the context cannot answer
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations; of a pair
--
-- A pair that lacks one of the five cases (its variant was rejected) is unscored, whatever its answers: it could never
-- be 1, so counting its failures alone would pull the value down. With a failing answer its numerator is 0, as it could not
-- have passed; its denominator stays null. Of the others, a pair with one failing answer is 0,
-- whatever else is unscored: it cannot become 1. A pair without a failure is 1 when all five are scored, and unscored
-- otherwise (paper 000, "LLM Robustness"). A pair stands for every model and judge, judged or not.
--
-- What people reject leaves all metrics: a case, or a pair with all of its cases (`staging.rejected_by_people`).
with judged_cases as not materialized (

    select * from staging.judged_cases
    where suite = 'failsafeqa'

),

rejected as (

    select release, case_id from staging.rejected_by_people
    where suite = 'failsafeqa'

),

answerable_pairs as (

    select
        cases.release,
        cases.qa_pair_id,
        count(*) as n_cases,
        count(*) - count(rejected.case_id) as n_left
    from raw.cases as cases
    left join rejected using (release, case_id)
    where cases.suite = 'failsafeqa' and list_contains(failsafeqa.answerable_perturbations(), cases.variant)
    group by all
    having n_left > 0

),

-- by a hash: millions of judgements are grouped by it
candidates as (

    select distinct
        release,
        model,
        judge,
        hash(model, judge) as candidate
    from staging.judgements
    where suite = 'failsafeqa'

),

-- what people reject is not left out: its pair lacks one of the five, and an anti join would hash all judgements
judged_pairs as (

    select
        release,
        qa_pair_id,
        hash(model, judge) as candidate,
        count(compliance) as n_scored,
        min(compliance) as lowest
    from judged_cases
    where list_contains(failsafeqa.answerable_perturbations(), variant)
    group by all

),

compliance as (

    select
        release,
        case_id,
        model,
        judge,
        unnest(if(is_answerable, ['compliance'], ['compliance', 'context_grounding'])) as metric,
        compliance as numerator,
        if(numerator is null, null, 1) as denominator
    from judged_cases
    anti join rejected using (release, case_id)

),

robustness as (

    select
        release,
        qa_pair_id as case_id,
        candidates.model,
        candidates.judge,
        'robustness' as metric,
        case
            when pairs.n_cases > pairs.n_left then null  -- the failing answer may be to what people reject
            when judged_pairs.lowest = 0 then 0
            when judged_pairs.n_scored = len(failsafeqa.answerable_perturbations()) then 1
        end as numerator,
        if(numerator is null or pairs.n_left < len(failsafeqa.answerable_perturbations()), null, 1) as denominator
    from answerable_pairs as pairs
    inner join candidates using (release)
    left join judged_pairs using (release, qa_pair_id, candidate)

)

select * from compliance
union all
select * from robustness
