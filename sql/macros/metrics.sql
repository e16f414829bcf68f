-- One row per release, model, judge, metric and slice: the metrics of units' sums, and those made of two of them.
--
-- `sums` names a relation as a suite's `sums`; what is made of two is the F-measure that `suites.derived` names. n,
-- n_unscored, ci_low, ci_high, worst and best are those of `macros.measured`; n_groups counts the groups of filings
-- with something scored. Of a metric made of two, n and n_groups are those of the part that has fewer.
create macro macros.metrics(sums) as table (

    with measured as materialized (

        from macros.measured(sums)

    ),

    derived as (

        select * from suites.derived

    ),

    one as (

        select
            measured.* exclude (metric),
            derived.metric,
            derived.weight
        from measured
        inner join derived on measured.suite = derived.suite and measured.metric = derived.part
        where not list_contains(derived.not_by, split_part(measured.slice, '=', 1))

    ),

    other as (

        select
            measured.* exclude (metric),
            derived.metric,
            derived.weight
        from measured
        inner join derived on measured.suite = derived.suite and measured.metric = derived.other_part
        where not list_contains(derived.not_by, split_part(measured.slice, '=', 1))

    ),

    combined as (

        select
            suite,
            release,
            model,
            judge,
            metric,
            slice,
            least(coalesce(one.n, 0), coalesce(other.n, 0)) as n,
            coalesce(one.n_unscored, 0) + coalesce(other.n_unscored, 0) as n_unscored,
            coalesce(one.weight, other.weight) as by_weight,
            macros.f_measure(one.value, other.value, by_weight) as value,
            macros.f_measure(one.worst, other.worst, by_weight) as worst,
            macros.f_measure(one.best, other.best, by_weight) as best,
            macros.f_measure(one.ci_low, other.ci_low, by_weight) as low_of_both,
            macros.f_measure(one.ci_high, other.ci_high, by_weight) as high_of_both,
            least(one.n_groups, other.n_groups) as n_groups,
            list_transform(
                list_zip(one.replicates, other.replicates),
                lambda drawn: macros.f_measure(drawn[1], drawn[2], by_weight)
            ) as replicates
        from one
        full outer join other using (suite, release, model, judge, metric, slice)

    ),

    of_two as (

        select
            *,
            macros.standard_error(list_aggregate(replicates, 'stddev_pop'), n_groups) as standard_error,
            -- it grows with both: where no replicate differs, its ends are those of their ends
            if(standard_error = 0 or low_of_both is null, low_of_both, macros.interval_low(value, standard_error, n_groups)) as ci_low,
            if(standard_error = 0 or high_of_both is null, high_of_both, macros.interval_high(value, standard_error, n_groups)) as ci_high
        from combined

    )

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        n,
        n_unscored,
        value,
        ci_low,
        ci_high,
        worst,
        best,
        n_groups
    from (
        select * from measured
        union all by name
        select * from of_two
    )

)
