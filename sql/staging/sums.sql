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
-- n           scored units; n_unscored are not, of which n_open might have passed
-- total       of their numerators; size of their denominators
-- cell        names the model, judge, metric and slice by a number
-- is_share    whether every unit of the metric is 0 or 1; is_mean, counts once; is_bounded, is between 0 and 1
-- There are many millions of units: they are read once into a few bytes each, where a hash stands for names.
with units as materialized (

    select
        hash(suite, release, model, judge, metric) as measure,
        hash(suite, variant, task, traits) as kind,
        pair_number::integer as pair_number,
        group_number::smallint as group_number,
        donor_group_number::smallint as donor_group_number,
        is_answerable,
        numerator::double as numerator,
        denominator::double as denominator
    from staging.units

),

of_traits as materialized (

    select
        measure,
        kind,
        group_number,
        donor_group_number,
        count(denominator) as n,
        count(*) - n as n_unscored,
        count(*) - count(numerator) as n_open,
        sum(numerator) as total,
        sum(denominator) as size,
        bool_and(denominator = 1) as is_mean,
        bool_and(numerator between 0 and denominator) as is_bounded,
        bool_and(numerator in (0, 1) and denominator = 1) as is_share
    from units
    group by all

),

measures as materialized (

    select
        names.*,
        any_value(models.cutoff) as cutoff,
        coalesce(bool_and(bool_and(is_mean)) over of_metric, true) as is_mean,
        coalesce(bool_and(bool_and(is_bounded)) over of_metric, true) as is_bounded,
        coalesce(bool_and(bool_and(is_share)) over of_metric, true) as is_share
    from (
        select distinct suite, release, model, judge, metric, hash(suite, release, model, judge, metric) as measure
        from suites.units
    ) as names
    inner join of_traits using (measure)
    left join raw.models as models using (release, suite, model)
    group by names.suite, release, names.model, names.judge, names.metric, measure
    window of_metric as (partition by suite, release, metric)

),

trait_slices as materialized (

    select *, hash(slice_by, slice_value) as slice
    from (
        select
            hash(suite, variant, task, traits) as kind,
            unnest(macros.trait_slices(variant, task, traits, sets), recursive := true)
        from (select distinct suite, variant, task, traits from staging.subjects)
        left join (select suite, list(traits) as sets from suites.slices group by all) using (suite)
    )

),

slices as materialized (

    select distinct slice_by, slice_value, hash(slice_by, slice_value) as slice
    from (
        select slice_by, slice_value from staging.pair_slices
        union
        select slice_by, slice_value from trait_slices
        union
        from (values ('filed', 'before cutoff'), ('filed', 'after cutoff'))
    )

),

of_slices as (

    select
        units.measure,
        hash(pair_slices.slice_by, pair_slices.slice_value) as slice,
        units.group_number,
        units.donor_group_number,
        count(units.denominator) as n,
        count(*) - n as n_unscored,
        count(*) - count(units.numerator) as n_open,
        sum(units.numerator) as total,
        sum(units.denominator) as size
    from units
    inner join staging.pair_slices as pair_slices using (pair_number)
    where units.is_answerable or pair_slices.slice_by != 'answer_position'
    group by all

    union all by name

    select of_traits.* exclude (kind, is_mean, is_bounded, is_share), trait_slices.slice
    from of_traits
    inner join trait_slices using (kind)

),

-- what is filed on the day of a model's cutoff is before it
by_cutoff as materialized (

    select
        of_slices.* replace (
            case
                when slices.slice_by != 'filed_date' then slice
                when slices.slice_value::date <= measures.cutoff then hash('filed', 'before cutoff')
                else hash('filed', 'after cutoff')
            end as slice
        )
    from of_slices
    inner join slices using (slice)
    inner join measures using (measure)
    where slices.slice_by != 'filed_date' or measures.cutoff is not null

),

drawn as (

    select
        * exclude (group_number, donor_group_number),
        unnest(if(donor_group_number is null, ['own'], ['own', 'donor', 'both'])) as draw,
        case draw
            when 'own' then group_number
            when 'donor' then donor_group_number
            else (hash(group_number, donor_group_number) % 256)::bigint
        end as group_number
    from by_cutoff

),

sums as (

    select
        measure,
        slice,
        draw,
        group_number,
        sum(n)::bigint as n,
        sum(n_unscored)::bigint as n_unscored,
        sum(n_open)::bigint as n_open,
        coalesce(sum(total), 0) as total,
        coalesce(sum(size), 0) as size
    from drawn
    group by all

)

select
    measures.* exclude (measure, cutoff, is_mean, is_bounded, is_share),
    slices.slice_by,
    slices.slice_value,
    hash(sums.measure, sums.slice) as cell,
    sums.* exclude (measure, slice),
    measures.is_share,
    measures.is_mean,
    measures.is_bounded
from sums
inner join measures using (measure)
inner join slices using (slice)
