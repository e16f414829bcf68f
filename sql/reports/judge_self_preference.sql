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

totals as materialized (

    select
        release,
        suite,
        judge,
        other_judge,
        measure,
        row_number() over () as cell_number,
        count(*) as n,
        count(distinct group_number) as n_groups,
        avg(own) as own_difference,
        avg(others) as others_difference,
        avg(own - others) as self_preference
    from self_preferences
    group by all

),

amounts as (

    unpivot (
        select
            totals.release,
            totals.suite,
            totals.cell_number,
            self_preferences.group_number,
            count(*)::double as n,
            sum(own - others)::double as total
        from self_preferences
        inner join totals using (release, suite, judge, other_judge, measure)
        group by all
    )
    on n, total
    into name part value amount

),

redrawn as materialized (

    from macros.redrawn('amounts')

),

ends as (

    select
        cell_number,
        list_aggregate(
            list_transform(
                list_zip(differences.redrawn, ns.redrawn), lambda drawn: drawn[1] / nullif(drawn[2], 0)
            ),
            'quantile_cont',
            [0.025, 0.975]
        ) as quantiles
    from redrawn as differences
    inner join redrawn as ns using (cell_number)
    where differences.part = 'total' and ns.part = 'n'

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
    inner join ends using (cell_number)

)

select * from judge_self_preference
order by release, suite, judge, other_judge, measure
