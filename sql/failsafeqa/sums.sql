-- One row per release, model, judge, metric, slice and group of filings: what the group adds to the metric.
--
-- compliance           share of answers rated 4 or better
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations
-- context_grounding    share of compliant answers to what the context cannot answer
--
-- They are those of `macros.sums('failsafeqa.units')`, read from a number a pair (`failsafeqa.judged_pairs`), which is
-- quicker for millions of judgements. `n` units are scored, for robustness those pairs that do not lack one of the five
-- cases; a unit counts 1 or 0, so that `size` is n.
with judged_pairs as materialized (

    select
        judged_pairs.pair_number,
        judged_pairs.group_number,
        judged_pairs.release,
        judged_pairs.suite,
        judged_pairs.task,
        judged_pairs.model,
        judged_pairs.judge,
        judged_pairs.candidate_number,
        cutoffs.cutoff,
        judged,
        scored,
        compliant,
        bit_count(scored & failsafeqa.answerable_bits()) as n_answers,
        bit_count((judged & ~scored) & failsafeqa.answerable_bits()) as n_unscored_answers,
        bit_count(compliant & failsafeqa.answerable_bits()) as total_answers,
        bit_count(scored & ~failsafeqa.answerable_bits()) as n_refusals,
        bit_count((judged & ~scored) & ~failsafeqa.answerable_bits()) as n_unscored_refusals,
        bit_count(compliant & ~failsafeqa.answerable_bits()) as total_refusals,
        (is_robust is not null)::integer as n_pairs,
        (is_robust is null and made & failsafeqa.answerable_bits() != 0)::integer as n_unscored_pairs,
        coalesce(is_robust, 0) as total_pairs
    from failsafeqa.judged_pairs as judged_pairs
    left join raw.cutoffs as cutoffs using (release, suite, model)

),

-- models and slices by number: there are many millions of pairs, models and slices
candidates as (

    select distinct
        candidate_number,
        release,
        suite,
        model,
        judge
    from judged_pairs

),

pair_slices as (

    select
        release,
        suite,
        pair_number,
        slice,
        is_of_answers,
        cutoff
    from staging.pair_slices
    union all
    select
        release,
        suite,
        pair_number,
        unnest(['overall', failsafeqa.slice_name(null, task)]),
        false,
        null
    from staging.pairs
    where suite = 'failsafeqa'

),

slices as materialized (

    select
        release,
        suite,
        slice,
        is_of_answers,
        row_number() over () as slice_number
    from (
        select distinct
            release,
            suite,
            slice,
            is_of_answers
        from pair_slices
    )

),

-- materialized: otherwise millions of pairs are joined first, and slices compared as text ten million times
members as materialized (

    select
        pair_slices.pair_number,
        pair_slices.cutoff,
        slices.slice_number
    from pair_slices
    inner join slices using (release, suite, slice)

),

by_pair_slice as materialized (

    select
        members.slice_number,
        judged_pairs.candidate_number,
        judged_pairs.group_number,
        sum(judged_pairs.n_answers) as n_answers,
        sum(judged_pairs.n_unscored_answers) as n_unscored_answers,
        sum(judged_pairs.total_answers) as total_answers,
        sum(judged_pairs.n_refusals) as n_refusals,
        sum(judged_pairs.n_unscored_refusals) as n_unscored_refusals,
        sum(judged_pairs.total_refusals) as total_refusals,
        sum(judged_pairs.n_pairs) as n_pairs,
        sum(judged_pairs.n_unscored_pairs) as n_unscored_pairs,
        sum(judged_pairs.total_pairs) as total_pairs
    from judged_pairs
    inner join members
        on judged_pairs.pair_number = members.pair_number
        and coalesce(members.cutoff = judged_pairs.cutoff, members.cutoff is null)
    group by all

),

of_pairs as (

    select
        candidates.suite,
        candidates.release,
        candidates.model,
        candidates.judge,
        slices.slice,
        by_pair_slice.group_number,
        unnest([
            {
                'metric': 'compliance',
                'n': n_answers + if(is_of_answers, 0, n_refusals),
                'n_unscored': n_unscored_answers + if(is_of_answers, 0, n_unscored_refusals),
                'total': total_answers + if(is_of_answers, 0, total_refusals)
            },
            {
                'metric': 'robustness',
                'n': n_pairs,
                'n_unscored': n_unscored_pairs,
                'total': total_pairs
            },
            {
                'metric': 'context_grounding',
                'n': if(is_of_answers, 0, n_refusals),
                'n_unscored': if(is_of_answers, 0, n_unscored_refusals),
                'total': if(is_of_answers, 0, total_refusals)
            }
        ], recursive := true)
    from by_pair_slice
    inner join slices using (slice_number)
    inner join candidates using (candidate_number)

),

perturbations as (

    select
        unnest(failsafeqa.perturbations()) as variant,
        failsafeqa.perturbation_bit(variant) as case_bit

),

by_perturbation as (

    select
        judged_pairs.candidate_number,
        judged_pairs.task,
        judged_pairs.group_number,
        perturbations.variant,
        count(*) filter (where scored & case_bit != 0) as n,
        count(*) filter (where (judged & ~scored) & case_bit != 0) as n_unscored,
        count(*) filter (where compliant & case_bit != 0) as total
    from judged_pairs
    cross join perturbations
    group by all

),

of_perturbations as (

    select
        candidates.suite,
        candidates.release,
        candidates.model,
        candidates.judge,
        failsafeqa.slice_name(variant, task) as slice,
        group_number,
        variant,
        sum(n) as n,
        sum(n_unscored) as n_unscored,
        sum(total) as total
    from by_perturbation
    inner join candidates using (candidate_number)
    group by grouping sets (
        (suite, release, model, judge, group_number, variant),
        (suite, release, model, judge, group_number, variant, task)
    )

),

sums as (

    select * from of_pairs
    union all by name
    select
        * exclude (variant),
        unnest(
            if(
                failsafeqa.is_answerable_perturbation(variant),
                ['compliance'],
                ['compliance', 'context_grounding']
            )
        ) as metric
    from of_perturbations

),

sums_of_groups as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        group_number,
        n,
        n_unscored,
        total,
        n as size,
        true as is_share
    from sums
    where n + n_unscored > 0

)

select * from sums_of_groups
