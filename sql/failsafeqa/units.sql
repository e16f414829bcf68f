-- One row per release, model, judge, metric and unit of FailSafeQA: what the unit counts, null where it is unscored.
--
-- compliance           share of answers rated 4 or better; a unit is a case
-- context_grounding    the same of answers to what the context cannot answer
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations; a unit is a pair
--
-- A pair that lacks one of the five cases (its variant was rejected) is unscored, whatever its answers: it could never
-- be 1, so counting its failures alone would pull the value down. With a failing answer its numerator is 0, as it could not
-- have passed; its denominator stays null. Of the others, a pair with one failing answer is 0,
-- whatever else is unscored: it cannot become 1. A pair without a failure is 1 when all five are scored, and unscored
-- otherwise (paper 000, "LLM Robustness"). A pair stands for every model and judge, judged or not.
--
-- The query of an irrelevant-context case comes from another filing: its donor. How near it is to the document is a trait,
-- and whether a scan still states the figures of the answer.
--
-- What people reject leaves all metrics: a case, or a pair with all of its cases (`staging.rejected_by_people`).
with judged_cases as not materialized (

    select * from staging.judged_cases
    anti join staging.rejected_by_people as rejected using (release, suite, case_id)
    where suite = 'failsafeqa'

),

case_traits as (

    select
        release,
        suite,
        case_id,
        traits
    from raw.cases
    where suite = 'failsafeqa' and variant in ('irrelevant_context', 'ocr') and cardinality(traits) > 0

),

answerable_pairs as (

    select
        cases.release,
        cases.suite,
        cases.qa_pair_id,
        any_value(pairs.pair_number) as pair_number,
        any_value(pairs.group_number) as group_number,
        any_value(pairs.task) as task,
        count(*) as n_cases,
        list(cases.case_id order by cases.case_id) filter (where rejected.case_id is null) as case_ids
    from raw.cases as cases
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    left join staging.rejected_by_people as rejected
        on cases.release = rejected.release
        and cases.suite = rejected.suite
        and cases.case_id = rejected.case_id
    where cases.suite = 'failsafeqa' and list_contains(failsafeqa.answerable_perturbations(), cases.variant)
    group by all
    having count(*) > count(rejected.case_id)

),

-- by a hash: millions of judgements are grouped by it
candidates as (

    select distinct
        release,
        suite,
        model,
        judge,
        hash(model, judge) as candidate
    from staging.judgements
    where suite = 'failsafeqa'

),

-- what people reject is not left out: its pair lacks one of the five, and an anti join would hash all judgements
judged_pairs as (

    select
        pair_number,
        hash(model, judge) as candidate,
        count(compliance) as n_scored,
        min(compliance) as lowest
    from staging.judged_cases
    where suite = 'failsafeqa' and list_contains(failsafeqa.answerable_perturbations(), variant)
    group by all

),

compliance as (

    select
        suite,
        release,
        model,
        judge,
        'compliance' as metric,
        case_id as unit_id,
        pair_number,
        group_number,
        donor_group_number,
        variant,
        task,
        is_answerable,
        case_traits.traits,
        compliance as numerator,
        if(numerator is null, null, 1) as denominator,
        [case_id] as case_ids
    from judged_cases
    left join case_traits using (release, suite, case_id)

),

context_grounding as (

    select * replace ('context_grounding' as metric)
    from compliance
    where not is_answerable

),

robustness as (

    select
        pairs.suite,
        pairs.release,
        candidates.model,
        candidates.judge,
        'robustness' as metric,
        pairs.qa_pair_id as unit_id,
        pairs.pair_number,
        pairs.group_number,
        null::bigint as donor_group_number,
        null::varchar as variant,
        pairs.task,
        true as is_answerable,
        null::map(varchar, varchar) as traits,
        case
            when pairs.n_cases > len(pairs.case_ids) then null  -- the failing answer may be to what people reject
            when judged_pairs.lowest = 0 then 0
            when judged_pairs.n_scored = len(failsafeqa.answerable_perturbations()) then 1
        end as numerator,
        if(numerator is null or len(pairs.case_ids) < len(failsafeqa.answerable_perturbations()), null, 1) as denominator,
        pairs.case_ids
    from answerable_pairs as pairs
    inner join candidates using (release, suite)
    left join judged_pairs
        on pairs.pair_number = judged_pairs.pair_number
        and candidates.candidate = judged_pairs.candidate

),

every_metric as (

    select * from compliance
    union all
    select * from context_grounding
    union all
    select * from robustness

),

units as (

    select
        suite,
        release,
        model,
        null::varchar as other_model,
        judge,
        metric,
        unit_id,
        pair_number,
        group_number,
        donor_group_number,
        variant,
        task,
        is_answerable,
        traits,
        numerator,
        denominator,
        case_ids
    from every_metric

)

select * from units
