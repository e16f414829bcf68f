-- One row per cell of the metrics (release, model, judge, metric, slice) and unit that it counts.
--
-- `case_ids` are the cases that decide the unit, and `score` its value, null where it is unscored. A metric made of two
-- has the units of both: `part` says of which a unit is, and is the metric else.
with sliced as (

    from macros.sliced('suites.units')

),

derived as (

    select
        suite,
        metric,
        not_by,
        unnest([part, other_part]) as part
    from suites.derived

),

every_metric as (

    select
        *,
        metric as part
    from sliced
    union all by name
    select
        sliced.* replace (derived.metric as metric),
        derived.part
    from sliced
    inner join derived on sliced.suite = derived.suite and sliced.metric = derived.part
    where not list_contains(derived.not_by, split_part(sliced.slice, '=', 1))

),

cell_units as (

    select
        suite,
        release,
        model,
        other_model,
        judge,
        metric,
        part,
        slice,
        unit_id,
        qa_pair_id,
        case_ids,
        numerator / denominator as score
    from every_metric

)

select * from cell_units
