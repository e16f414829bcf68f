-- One row per suite, two releases (in both orders), model, judge, metric, slice and basis: the change of a score, and whether it is more than noise.
--
-- basis          `all`: each release's own filings, drawn apart from each other: the scores that the releases report.
--                Where releases share filings this misses changes rather than making them up.
--                `shared`: what both releases ask in the same words, of the same contexts (`staging.shared_sums`); no
--                row where there is nothing. A change here cannot come from other filings or questions
-- n, n_groups    scored things, and groups of filings that they are of (a filing each, up to 256)
-- value, ci_low, ci_high    in release, with its 95 % interval; other_... those in other_release. Of shared things there
--                is no interval of the value but of the change only, which is what they are good for. Both are computed
--                by today's SQL, whatever the releases were scored with
-- change         other_value - value, with its 95 % interval: by `macros.change_low` of all, by a bootstrap over the
--                filings, both releases on the same draws, of what is shared (`macros.compared`)
-- n_lost, n_gained    of what is shared: right in release only, right in other_release only
-- p              two-sided. Of all: Student's, 0.05 where the interval ends at 0, and never below what so few filings can
--                show (`macros.permutation_p`). Of what is shared: the larger of exact McNemar's and of the bootstrap's
-- p_holm         p by Holm's method over all models of the same judge, metric, slice and basis
-- is_more_than_noise    whether p_holm is at most 0.05; null where there are too few filings for an interval: of one of the
--                releases, or of what is shared
with values_of as materialized (

    select * from suites.metrics
    where value is not null

),

of_all as (

    select
        one.suite,
        one.release,
        other.release as other_release,
        one.model,
        one.judge,
        one.metric,
        one.slice,
        'all' as basis,
        one.n,
        other.n as other_n,
        one.n_groups,
        other.n_groups as other_n_groups,
        one.value,
        one.ci_low,
        one.ci_high,
        other.value as other_value,
        other.ci_low as other_ci_low,
        other.ci_high as other_ci_high,
        other_value - one.value as change,
        macros.change_low(one.value, one.ci_high, other_value, other_ci_low) as change_low,
        macros.change_high(one.value, one.ci_low, other_value, other_ci_high) as change_high,
        -- towards 0: how far each value may be off, and both
        if(change > 0, one.ci_high - one.value, one.value - one.ci_low) as off,
        if(change > 0, other_value - other_ci_low, other_ci_high - other_value) as other_off,
        if(change > 0, change - change_low, change_high - change) as reach
    from values_of as one
    inner join values_of as other
        on one.suite = other.suite
        and one.model = other.model
        and one.judge = other.judge
        and one.metric = other.metric
        and one.slice = other.slice
        and one.release != other.release

),

tested_all as (

    select
        * exclude (off, other_off, reach, degrees),
        case
            when least(n_groups, other_n_groups) >= macros.fewest_groups() and reach is not null
                then greatest(
                    -- a normal tail at 0 is a half but for its seventh digit
                    least(1, macros.student_p(abs(change) / reach * macros.student_t(degrees), degrees)),
                    macros.permutation_p(n_groups, other_n_groups)
                )
        end as p
    from (
        select
            *,
            macros.change_degrees(off, n_groups, other_off, other_n_groups) as degrees
        from of_all
    )

),

compared as materialized (

    from macros.compared('staging.shared_sums')

),

of_shared as (

    select
        suite,
        release,
        other_release,
        model,
        judge,
        metric,
        slice,
        'shared' as basis,
        n,
        n as other_n,
        n_groups,
        n_groups as other_n_groups,
        value,
        other_value,
        0 - difference as change,
        0 - ci_high as change_low,
        0 - ci_low as change_high,
        n_only_model as n_lost,
        n_only_other as n_gained,
        case when n_groups >= macros.fewest_groups() then greatest(coalesce(p_mcnemar, 0), p_clustered) end as p
    from compared

),

-- the same from the later release by name to the earlier
of_shared_back as (

    select
        * replace (
            other_release as release,
            release as other_release,
            other_value as value,
            value as other_value,
            0 - change as change,
            0 - change_high as change_low,
            0 - change_low as change_high,
            n_gained as n_lost,
            n_lost as n_gained
        )
    from of_shared

),

tested as (

    select * from tested_all
    union all by name
    select * from of_shared
    union all by name
    select * from of_shared_back

),

ranked as (

    select
        *,
        count(*) over family as n_models,
        row_number() over (family order by p) as place
    from tested
    where p is not null
    window family as (partition by suite, release, other_release, judge, metric, slice, basis)

),

adjusted as (

    select
        * exclude (n_models, place),
        least(
            1,
            max(p * (n_models - place + 1)) over (
                partition by suite, release, other_release, judge, metric, slice, basis
                order by place
            )
        ) as p_holm
    from ranked
    union all by name
    select * from tested
    where p is null

),

release_changes as (

    select
        suite,
        release,
        other_release,
        model,
        judge,
        metric,
        slice,
        basis,
        n,
        other_n,
        n_groups,
        other_n_groups,
        value,
        ci_low,
        ci_high,
        other_value,
        other_ci_low,
        other_ci_high,
        change,
        change_low,
        change_high,
        n_lost,
        n_gained,
        p,
        p_holm,
        p_holm <= 0.05 as is_more_than_noise
    from adjusted

)

select * from release_changes
order by suite, release, other_release, judge, metric, slice, basis, model
