-- One row per pair, model and judge of FailSafeQA: which of the pair's cases were made, judged, scored and compliant.
--
-- These four are numbers with a bit for each variant (`failsafeqa.perturbation_bit`), so that metrics over millions
-- of judgements read each judgement once. A pair stands here for every model and judge, judged or not.
--
-- is_robust: whether the pair's answers hold under all five answerable perturbations. A pair that lacks one of the
-- five cases (its variant was rejected) is unscored, whatever its answers: it could never be 1, so counting its
-- failures alone would pull the value down.
-- Of the others, a pair with one failing answer is 0, whatever else is unscored: it cannot become 1. A pair without
-- a failure is 1 when all five are scored, and unscored otherwise (paper 000, "LLM Robustness").
with pairs as (

    select
        release,
        suite,
        qa_pair_id,
        pair_number,
        group_number,
        task
    from staging.pairs
    where suite = 'failsafeqa'

),

cases as materialized (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        pairs.pair_number,
        failsafeqa.perturbation_bit(cases.variant) as case_bit
    from raw.cases as cases
    inner join pairs using (release, suite, qa_pair_id)

),

made as (

    select
        pair_number,
        bit_or(case_bit) as made
    from cases
    group by all

),

judged as materialized (

    select
        cases.pair_number,
        judgements.model,
        judgements.judge,
        bit_or(cases.case_bit) as judged,
        bit_or(if(judgements.rating is null, 0, cases.case_bit)) as scored,
        bit_or(if(macros.is_compliant(judgements.rating), cases.case_bit, 0)) as compliant
    from staging.judgements as judgements
    inner join cases using (release, suite, case_id)
    group by all

),

candidates as (

    select
        *,
        row_number() over (order by release, suite, model, judge) as candidate_number
    from (
        select distinct
            pairs.release,
            pairs.suite,
            judged.model,
            judged.judge
        from judged
        inner join pairs using (pair_number)
    )

),

counted as (

    select
        pairs.release,
        pairs.suite,
        pairs.qa_pair_id,
        pairs.pair_number,
        pairs.group_number,
        pairs.task,
        candidates.model,
        candidates.judge,
        candidates.candidate_number,
        coalesce(made.made, 0) as made,
        coalesce(judged.judged, 0) as judged,
        coalesce(judged.scored, 0) as scored,
        coalesce(judged.compliant, 0) as compliant
    from pairs
    inner join candidates using (release, suite)
    left join made using (pair_number)
    left join judged
        on pairs.pair_number = judged.pair_number
        and candidates.model = judged.model
        and candidates.judge = judged.judge

),

judged_pairs as (

    select
        *,
        case
            when made & failsafeqa.answerable_bits() != failsafeqa.answerable_bits() then null
            when (scored & failsafeqa.answerable_bits()) != (compliant & failsafeqa.answerable_bits()) then 0
            when scored & failsafeqa.answerable_bits() = failsafeqa.answerable_bits() then 1
        end as is_robust
    from counted

)

select * from judged_pairs
