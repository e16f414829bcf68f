-- One row per judge that is also a candidate, other judge and measure: how much higher it rates its own answers than others'.
--
-- On n cases that both judges rated of it and of at least one other candidate: own_difference is its rating of its own
-- answer less the other judge's, others_difference the same over the others' answers, self_preference the first less the
-- second, with a 95 % interval by a bootstrap over filings. Without a second judge a liking for one's own answers cannot
-- be told from their quality, and without a third candidate (the other judge's answers are left out) not from leniency:
-- then there is no row.
--
-- Read it against several judges: one that errs at random, or has no rating above 6 to give, rates better answers lower
-- than they deserve, and a judge whose own answers are the better ones then seems to prefer them.
with self_preferences as materialized (

    select * from staging.self_preferences

),

sums as materialized (

    select
        release,
        suite,
        judge,
        other_judge,
        measure,
        group_number,
        count(*) as n,
        sum(own) as own,
        sum(others) as others
    from self_preferences
    group by all

),

sizes as (

    select
        release,
        suite,
        max(group_number) + 1 as n_groups
    from staging.pairs
    group by all

),

replicates as (

    select
        sums.release,
        sums.suite,
        sums.judge,
        sums.other_judge,
        sums.measure,
        resamples.replicate,
        sum(resamples.n_drawn[sums.group_number + 1] * (sums.own - sums.others))
        / nullif(sum(resamples.n_drawn[sums.group_number + 1] * sums.n), 0) as self_preference
    from sums
    inner join sizes using (release, suite)
    inner join staging.resamples as resamples using (n_groups)
    group by all

),

ends as (

    select
        release,
        suite,
        judge,
        other_judge,
        measure,
        quantile_cont(self_preference, [0.025, 0.975]) as quantiles
    from replicates
    group by all

),

totals as (

    select
        release,
        suite,
        judge,
        other_judge,
        measure,
        sum(n)::bigint as n,
        count(*) as n_groups,
        sum(own) / sum(n) as own_difference,
        sum(others) / sum(n) as others_difference,
        (sum(own) - sum(others)) / sum(n) as self_preference
    from sums
    group by all

),

judge_self_preference as (

    select
        release,
        suite,
        judge,
        other_judge,
        measure,
        n,
        own_difference,
        others_difference,
        self_preference,
        macros.widened(self_preference, quantiles[1], n_groups) as ci_low,
        macros.widened(self_preference, quantiles[2], n_groups) as ci_high
    from totals
    inner join ends using (release, suite, judge, other_judge, measure)

)

select * from judge_self_preference
order by release, suite, judge, other_judge, measure
