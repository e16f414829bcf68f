-- One row per release, model, judge, metric, slice and group of filings: what the group adds to the metric.
--
-- `units` names a relation as a suite's `units`. `n` units are scored, and `total` over `size` is their value: the sums
-- of their numerators and denominators; `n_unscored` are not. is_share tells a metric of which each unit is 0 or 1.
create macro macros.sums(units) as table (

    select
        sliced.suite,
        sliced.release,
        sliced.model,
        sliced.judge,
        sliced.metric,
        sliced.slice,
        groups.group_number,
        count(sliced.denominator) as n,
        count(*) - count(sliced.denominator) as n_unscored,
        coalesce(sum(sliced.numerator), 0) as total,
        coalesce(sum(sliced.denominator), 0) as size,
        bool_and(coalesce(sliced.denominator = 1 and sliced.numerator in (0, 1), true)) as is_share
    from macros.sliced(units) as sliced
    left join staging.groups as groups using (release, suite, group_id)
    group by all

)
