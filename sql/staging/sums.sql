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

names as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        hash(suite, release, model, judge, metric) as measure
    from suites.units
    group by all

),

-- not_alike says of a metric's units: 1 for one that is neither 0 nor 1, 2 for one that does not count once, 4 for one
-- that is not between 0 and 1
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
        bit_or(
            if(numerator = 0 or numerator = 1, 0, 1)
            + if(denominator = 1, 0, 2)
            + if(numerator >= 0 and numerator <= denominator, 0, 4)
        ) filter (where denominator is not null) as not_alike
    from units
    group by all

),

sets as (

    select
        suite,
        list(traits) as sets
    from suites.slices
    group by all

),

trait_slices as materialized (

    select
        hash(suite, variant, task, traits) as kind,
        unnest(macros.trait_slices(variant, task, traits, sets), recursive := true)
    from (select distinct suite, variant, task, traits from staging.subjects)
    left join sets using (suite)

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
        union
        select
            slice_by,
            slice_value
        from trait_slices
        union
        from (values ('filed', 'before cutoff'), ('filed', 'after cutoff'))
    )

),

members as materialized (

    select
        pair_slices.pair_number::integer as pair_number,
        slices.slice_number,
        slices.slice_by = 'answer_position' as is_of_answers
    from staging.pair_slices as pair_slices
    inner join slices using (slice_by, slice_value)

),

measures as materialized (

    select
        suite,
        release,
        model,
        judge,
        metric,
        measure,
        bit_or(coalesce(bit_or(not_alike), 0)) over (partition by suite, release, metric) as not_alike,
        any_value(models.cutoff) as cutoff
    from names
    inner join of_traits using (measure)
    left join raw.models as models using (release, suite, model)
    group by suite, release, model, judge, metric, measure

),

of_slices as (

    select
        units.measure,
        members.slice_number,
        units.group_number,
        units.donor_group_number,
        count(units.denominator) as n,
        count(*) - n as n_unscored,
        count(*) - count(units.numerator) as n_open,
        sum(units.numerator) as total,
        sum(units.denominator) as size
    from units
    inner join members using (pair_number)
    where units.is_answerable or not members.is_of_answers
    group by all

    union all

    select
        of_traits.measure,
        slices.slice_number,
        of_traits.group_number,
        of_traits.donor_group_number,
        of_traits.n,
        of_traits.n_unscored,
        of_traits.n_open,
        of_traits.total,
        of_traits.size
    from of_traits
    inner join trait_slices using (kind)
    inner join slices using (slice_by, slice_value)

),

-- what is filed on the day of a model's cutoff is before it
filed as (

    select
        measures.measure,
        dates.slice_number,
        slices.slice_number as of_cutoff
    from slices as dates
    cross join measures
    inner join slices
        on slices.slice_by = 'filed'
        and slices.slice_value
        = if(try_cast(dates.slice_value as date) <= measures.cutoff, 'before cutoff', 'after cutoff')
    where dates.slice_by = 'filed_date' and measures.cutoff is not null

),

by_cutoff as materialized (

    select of_slices.* replace (coalesce(filed.of_cutoff, of_slices.slice_number) as slice_number)
    from of_slices
    left join filed using (measure, slice_number)

),

drawn as (

    select
        * exclude (donor_group_number),
        'own' as draw
    from by_cutoff

    union all by name

    select
        * exclude (donor_group_number) replace (donor_group_number as group_number),
        'donor' as draw
    from by_cutoff
    where donor_group_number is not null

    union all by name

    select
        * exclude (donor_group_number)
        replace ((hash(group_number, donor_group_number) % 256)::bigint as group_number),
        'both' as draw
    from by_cutoff
    where donor_group_number is not null

),

sums as (

    select
        measure,
        slice_number,
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
    measures.suite,
    measures.release,
    measures.model,
    measures.judge,
    measures.metric,
    slices.slice_by,
    slices.slice_value,
    hash(sums.measure, slices.slice_by, slices.slice_value) as cell,
    sums.draw,
    sums.group_number,
    sums.n,
    sums.n_unscored,
    sums.n_open,
    sums.total,
    sums.size,
    measures.not_alike & 7 = 0 as is_share,
    measures.not_alike & 2 = 0 as is_mean,
    measures.not_alike & 4 = 0 as is_bounded
from sums
inner join measures using (measure)
inner join slices using (slice_number)
where slices.slice_by != 'filed_date'
