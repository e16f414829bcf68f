-- One row per two candidates (a model in a release), judge, metric, slice and group of filings: what the group adds to both means.
--
-- `paired` names a relation with a row per unit that both have a score for: release and model are the one candidate,
-- other_release and other_model the other. n counts the units; n_only_model and n_only_other are those that only the
-- one or only the other candidate got right. Slices are the units' own `slices`.
create macro macros.paired_sums(paired) as table (

    with by_slices as (

        select
            suite,
            release,
            other_release,
            judge,
            metric,
            slices,
            model,
            other_model,
            group_number,
            count(*) as n,
            sum(score) as total,
            sum(other_score) as other_total,
            count(*) filter (where score = 1 and other_score = 0) as n_only_model,
            count(*) filter (where score = 0 and other_score = 1) as n_only_other
        from query_table(paired)
        group by all

    ),

    by_slice as (

        select
            * exclude (slices),
            unnest(slices) as slice
        from by_slices

    )

    select
        suite,
        release,
        other_release,
        judge,
        metric,
        slice,
        model,
        other_model,
        group_number,
        sum(n)::bigint as n,
        sum(total) as total,
        sum(other_total) as other_total,
        sum(n_only_model)::bigint as n_only_model,
        sum(n_only_other)::bigint as n_only_other
    from by_slice
    group by all

)
