-- One row per release, model, judge, metric, slice and group of filings: what the group adds to the metric.
--
-- compliance           share of answers rated 4 or better, by perturbation
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations
-- context_grounding    share of compliant answers to what the context cannot answer
--
-- `n` things are scored and `total` is the sum of their scores; `n_unscored` are not, for robustness also the pairs
-- that lack one of the five cases. A metric is the total over the n of all groups.
with cases as materialized (

    select
        suite,
        release,
        model,
        judge,
        perturbation,
        task,
        group_number,
        count(compliance) as n,
        count(*) - count(compliance) as n_unscored,
        coalesce(sum(compliance), 0) as total
    from staging.judged_cases
    where suite = 'failsafeqa'
    group by all

),

pairs as (

    select
        suite,
        release,
        model,
        judge,
        task,
        group_number,
        count(is_robust) as n,
        count(*) - count(is_robust) as n_unscored,
        coalesce(sum(is_robust), 0) as total
    from staging.robust_pairs
    where suite = 'failsafeqa'
    group by all

),

compliance as (

    select
        suite,
        release,
        model,
        judge,
        'compliance' as metric,
        macros.slice_name(perturbation, task) as slice,
        group_number,
        sum(n) as n,
        sum(n_unscored) as n_unscored,
        sum(total) as total
    from cases
    group by grouping sets (
        (suite, release, model, judge, group_number, perturbation),
        (suite, release, model, judge, group_number, perturbation, task)
    )

),

robustness as (

    select
        suite,
        release,
        model,
        judge,
        'robustness' as metric,
        macros.slice_name(null, task) as slice,
        group_number,
        sum(n) as n,
        sum(n_unscored) as n_unscored,
        sum(total) as total
    from pairs
    group by grouping sets (
        (suite, release, model, judge, group_number),
        (suite, release, model, judge, group_number, task)
    )

),

context_grounding as (

    select
        suite,
        release,
        model,
        judge,
        'context_grounding' as metric,
        macros.slice_name(perturbation, task) as slice,
        group_number,
        sum(n) as n,
        sum(n_unscored) as n_unscored,
        sum(total) as total
    from cases
    where not macros.is_answerable_perturbation(perturbation)
    group by grouping sets (
        (suite, release, model, judge, group_number),
        (suite, release, model, judge, group_number, task),
        (suite, release, model, judge, group_number, perturbation)
    )

),

failsafeqa_sums as (

    select * from compliance
    union all
    select * from robustness
    union all
    select * from context_grounding

)

select * from failsafeqa_sums
