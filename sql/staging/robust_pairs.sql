-- One row per pair, model and judge: whether the pair's answers hold under all five answerable perturbations.
--
-- A pair that lacks one of the five cases (its perturbation was rejected) is unscored, whatever its answers: it
-- could never be 1, so counting its failures alone would pull the value down.
-- Of the others, a pair with one failing answer is 0, whatever else is unscored: it cannot become 1. A pair without
-- a failure is 1 when all five are scored, and unscored otherwise (paper 000, "LLM Robustness").
with judged_cases as (

    select * from staging.judged_cases

),

candidates as (

    select distinct
        release,
        suite,
        model,
        judge
    from judged_cases

),

pairs as (

    select
        pairs.qa_pair_id,
        pairs.group_number,
        pairs.release,
        pairs.suite,
        pairs.task,
        count(distinct cases.perturbation) as n_cases
    from staging.pairs as pairs
    inner join raw.cases as cases
        on pairs.release = cases.release
        and pairs.suite = cases.suite
        and pairs.qa_pair_id = cases.qa_pair_id
    where macros.is_answerable_perturbation(cases.perturbation)
    group by all

),

judged_pairs as (

    select
        qa_pair_id,
        release,
        suite,
        model,
        judge,
        min(compliance) as lowest_compliance,
        count(compliance) as n_scored
    from judged_cases
    where macros.is_answerable_perturbation(perturbation)
    group by all

),

robust_pairs as (

    select
        pairs.qa_pair_id,
        pairs.group_number,
        pairs.release,
        pairs.suite,
        candidates.model,
        candidates.judge,
        pairs.task,
        coalesce(judged_pairs.n_scored, 0) as n_scored,
        case
            when pairs.n_cases < len(macros.answerable_perturbations()) then null
            when judged_pairs.lowest_compliance = 0 then 0
            when judged_pairs.n_scored = pairs.n_cases then 1
        end as is_robust
    from pairs
    inner join candidates
        on pairs.release = candidates.release
        and pairs.suite = candidates.suite
    left join judged_pairs
        on pairs.release = judged_pairs.release
        and pairs.suite = judged_pairs.suite
        and pairs.qa_pair_id = judged_pairs.qa_pair_id
        and candidates.model = judged_pairs.model
        and candidates.judge = judged_pairs.judge

)

select * from robust_pairs
