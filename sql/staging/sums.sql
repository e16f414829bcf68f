-- One row per suite, release, model, judge, metric, slice, draw and group of filings: what the group's units add up to.
--
-- The value of a ratio metric is one select on it:
--
--     select suite, release, model, judge, metric, slice_by, slice_value, sum(total) / sum(size) as value
--     from staging.sums
--     where draw = 'own'
--     group by all
--
-- draw        what the units are grouped by for resampling: `own`, their own filing (this has every unit); of units that
--             take something from a second filing also `donor`, that one, and `both`, the two
-- n           scored units; n_unscored are not
-- total       of their numerators; size of their denominators
-- is_share    whether every unit of the metric is 0 or 1; is_mean, counts once; is_bounded, is between 0 and 1
-- Units are summed by pair first, and metrics named by a hash: there are many millions of units and slices.
with units as not materialized (

    select
        *,
        hash(suite, release, model, judge, metric) as measure
    from suites.units

),

of_traits as materialized (

    select
        suite,
        release,
        model,
        judge,
        metric,
        measure,
        variant,
        task,
        traits,
        hash(suite, variant, task, traits) as kind,
        group_number,
        donor_group_number,
        count(denominator) as n,
        count(*) - n as n_unscored,
        sum(numerator::double) as total,
        sum(denominator::double) as size,
        bool_and(denominator = 1 and numerator in (0, 1)) as is_share,
        bool_and(denominator = 1) as is_mean,
        bool_and(numerator between 0 and denominator) as is_bounded
    from units
    group by all

),

of_pairs as materialized (

    select
        measure,
        pair_number,
        is_answerable,
        donor_group_number,
        count(denominator) as n,
        count(*) - n as n_unscored,
        sum(numerator::double) as total,
        sum(denominator::double) as size
    from units
    group by all

),

slices as materialized (

    select
        *,
        row_number() over () as slice_number
    from (
        select distinct
            slice_by,
            slice_value
        from staging.pair_slices
    )

),

members as materialized (

    select
        pair_slices.pair_number,
        pair_slices.group_number,
        slices.slice_number,
        slices.slice_by = 'answer_position' as is_of_answers
    from staging.pair_slices as pair_slices
    inner join slices using (slice_by, slice_value)

),

of_pair_slices as (

    select
        of_pairs.measure,
        members.slice_number,
        members.group_number,
        of_pairs.donor_group_number,
        sum(of_pairs.n) as n,
        sum(of_pairs.n_unscored) as n_unscored,
        sum(of_pairs.total) as total,
        sum(of_pairs.size) as size
    from of_pairs
    inner join members using (pair_number)
    where of_pairs.is_answerable or not members.is_of_answers
    group by all

),

crossed as (

    select
        suite,
        list(traits) as sets
    from suites.slices
    where len(traits) > 1
    group by all

),

trait_slices as (

    select
        kind,
        unnest(macros.trait_slices(variant, task, traits, crossed.sets), recursive := true)
    from (select distinct suite, variant, task, traits, kind from of_traits)
    left join crossed using (suite)

),

of_slices as (

    select
        of_pair_slices.*,
        slices.slice_by,
        slices.slice_value
    from of_pair_slices
    inner join slices using (slice_number)

    union all by name

    select
        of_traits.measure,
        of_traits.group_number,
        of_traits.donor_group_number,
        of_traits.n,
        of_traits.n_unscored,
        of_traits.total,
        of_traits.size,
        trait_slices.slice_by,
        trait_slices.slice_value
    from of_traits
    inner join trait_slices using (kind)

),

measures as materialized (

    select
        suite,
        release,
        model,
        judge,
        metric,
        measure,
        cutoffs.cutoff
    from (select distinct suite, release, model, judge, metric, measure from of_traits)
    left join raw.cutoffs as cutoffs using (release, suite, model)

),

kinds as materialized (

    select
        suite,
        release,
        metric,
        bool_and(coalesce(is_share, true)) as is_share,
        bool_and(coalesce(is_mean, true)) as is_mean,
        bool_and(coalesce(is_bounded, true)) as is_bounded
    from of_traits
    group by all

),

-- what is filed on the day of a model's cutoff is before it
by_cutoff as (

    select
        of_slices.* exclude (slice_number) replace (
            if(slice_by = 'filed_date', 'filed', slice_by) as slice_by,
            case
                when slice_by != 'filed_date' then slice_value
                when slice_value::date <= measures.cutoff then 'before cutoff'
                else 'after cutoff'
            end as slice_value
        )
    from of_slices
    inner join measures using (measure)
    where slice_by != 'filed_date' or measures.cutoff is not null

),

drawn as (

    select
        * exclude (donor_group_number) replace (
            case draw
                when 'own' then group_number
                when 'donor' then donor_group_number
                else hash(group_number, donor_group_number) % 256
            end::bigint as group_number
        )
    from (
        select
            *,
            unnest(if(donor_group_number is null, ['own'], ['own', 'donor', 'both'])) as draw
        from by_cutoff
    )

),

sums as (

    select
        measure,
        slice_by,
        slice_value,
        draw,
        group_number,
        sum(n)::bigint as n,
        sum(n_unscored)::bigint as n_unscored,
        coalesce(sum(total), 0) as total,
        coalesce(sum(size), 0) as size
    from drawn
    group by all

)

select
    measures.* exclude (measure, cutoff),
    sums.* exclude (measure),
    kinds.* exclude (suite, release, metric)
from sums
inner join measures using (measure)
inner join kinds using (suite, release, metric)
