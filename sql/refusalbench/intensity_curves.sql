-- One row per release, judge, model, setting and class: its accuracy at each intensity.
--
-- At low intensity a case must be answered, at medium and high ones refused with the code of its class.
with metrics as (

    select
        *,
        string_split(slice_value, ',') as slice
    from refusalbench.metrics
    where
        slice_by = 'task,intensity,perturbation_class'
        and metric in ('answer_accuracy', 'refusal_accuracy')

),

intensity_curves as (

    select
        release,
        judge,
        model,
        slice[1] as setting,
        slice[3] as perturbation_class,
        any_value(value) filter (where slice[2] = 'low') as low_accuracy,
        any_value(value) filter (where slice[2] = 'medium') as medium_accuracy,
        any_value(value) filter (where slice[2] = 'high') as high_accuracy,
        sum(n)::bigint as n
    from metrics
    group by release, judge, model, slice[1], slice[3]

)

select * from intensity_curves
order by release, judge, model, setting, perturbation_class
