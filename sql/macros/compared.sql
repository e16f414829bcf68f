-- One row per two candidates (a model in a release), judge, metric and slice: how far apart they are on what both are scored on.
--
-- `sums` names a relation of `staging` with what each group of filings adds to both means, as `macros.paired_sums` has
-- it; groups are those of the first candidate's release. `reports.comparisons` says what the columns are.
create macro macros.compared(sums) as table (

    with by_group as materialized (

        select * from query_table(sums)

    ),

    cells as materialized (

        select
            suite,
            release,
            other_release,
            judge,
            metric,
            slice,
            model,
            other_model,
            row_number() over () as cell_number,
            sum(n)::bigint as n,
            sum(total) / sum(n) as value,
            sum(other_total) / sum(n) as other_value,
            sum(n_only_model)::bigint as n_only_model,
            sum(n_only_other)::bigint as n_only_other,
            count(*) as n_groups,
            count(*) filter (where total != other_total) as n_differing
        from by_group
        group by all

    ),

    amounts as (

        unpivot (
            select
                cells.release,
                cells.suite,
                cells.cell_number,
                by_group.group_number,
                by_group.n::double as n,
                by_group.total::double as total,
                by_group.other_total::double as other_total
            from by_group
            inner join cells using (suite, release, other_release, judge, metric, slice, model, other_model)
        )
        on n, total, other_total
        into name part value amount

    ),

    redrawn as materialized (

        from macros.redrawn('amounts')

    ),

    means as (

        select
            cells.*,
            list_transform(
                list_zip(totals.redrawn, ns.redrawn),
                lambda drawn: drawn[1] / nullif(drawn[2], 0)
            ) as replicates,
            list_transform(
                list_zip(other_totals.redrawn, ns.redrawn),
                lambda drawn: drawn[1] / nullif(drawn[2], 0)
            ) as other_replicates
        from cells
        inner join redrawn as ns
            on cells.cell_number = ns.cell_number
            and ns.part = 'n'
        inner join redrawn as totals
            on cells.cell_number = totals.cell_number
            and totals.part = 'total'
        inner join redrawn as other_totals
            on cells.cell_number = other_totals.cell_number
            and other_totals.part = 'other_total'

    ),

    derived as (

        select * from suites.derived

    ),

    one as (

        select
            means.* exclude (metric),
            derived.metric,
            derived.weight
        from means
        inner join derived on means.suite = derived.suite and means.metric = derived.part

    ),

    other as (

        select
            means.* exclude (metric),
            derived.metric
        from means
        inner join derived on means.suite = derived.suite and means.metric = derived.other_part

    ),

    of_two as (

        select
            suite,
            release,
            other_release,
            judge,
            metric,
            true as is_of_two,
            slice,
            model,
            other_model,
            one.weight as by_weight,
            least(one.n, other.n) as n,
            macros.f_measure(one.value, other.value, by_weight) as value,
            macros.f_measure(one.other_value, other.other_value, by_weight) as other_value,
            least(one.n_groups, other.n_groups) as n_groups,
            greatest(one.n_differing, other.n_differing) as n_differing,
            list_transform(
                list_zip(one.replicates, other.replicates),
                lambda drawn: macros.f_measure(drawn[1], drawn[2], by_weight)
            ) as replicates,
            list_transform(
                list_zip(one.other_replicates, other.other_replicates),
                lambda drawn: macros.f_measure(drawn[1], drawn[2], by_weight)
            ) as other_replicates
        from one
        inner join other using (suite, release, other_release, judge, metric, slice, model, other_model)

    ),

    every_mean as (

        select
            * exclude (cell_number),
            false as is_of_two
        from means
        union all by name
        select * exclude (by_weight) from of_two

    ),

    differences as (

        select
            * exclude (replicates, other_replicates),
            value - other_value as difference,
            list_transform(list_zip(replicates, other_replicates), lambda drawn: drawn[1] - drawn[2]) as replicates
        from every_mean

    ),

    spreads as (

        select
            * exclude (replicates),
            macros.standard_error(list_aggregate(replicates, 'stddev_pop'), n_groups) as standard_error
        from differences

    ),

    tested as (

        select
            *,
            -- few filings have no interval, as their values have none; where all agree, the bounds are those of a mean, which
            -- a metric made of two is not
            n_groups >= macros.fewest_groups() and (not is_of_two or standard_error > 0) as has_interval,
            case when has_interval then macros.difference_low(difference, standard_error, n_groups) end as ci_low,
            case when has_interval then macros.difference_high(difference, standard_error, n_groups) end as ci_high,
            macros.mcnemar_p(n_only_model, n_only_other) as p_mcnemar,
            -- models that do equally well are told apart by nothing, though their parts may differ
            if(
                abs(difference) < 1e-12,
                1,
                greatest(
                    macros.sign_test_p(n_differing),
                    coalesce(macros.student_p(abs(difference) / nullif(standard_error, 0), n_groups - 1), 0)
                )
            ) as p_clustered,
            case
                when n_groups >= 6
                    then nullif(standard_error, 0) * macros.student_t(n_groups - 1) * (1 + 0.841621 / 1.959964)
            end as minimum_detectable_difference
        from spreads

    )

    select * exclude (has_interval, is_of_two) from tested

)
