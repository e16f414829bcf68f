-- One row per release, judge and sector: how hard its cases are for the models, and which of them has the highest CRS.
with metrics as (

    select * from refusalbench.metrics
    where slice_by = 'sector' and value is not null

),

domains as (

    select
        release,
        judge,
        slice_value as sector,
        count(distinct model) as n_models,
        max(n) filter (where metric = 'answer_accuracy') as n_answerable,
        max(n) filter (where metric = 'refusal_accuracy') as n_unanswerable,
        round(avg(value) filter (where metric = 'answer_accuracy'), 12) as answer_accuracy,
        round(avg(value) filter (where metric = 'refusal_accuracy'), 12) as refusal_accuracy,
        round(avg(value) filter (where metric = 'crs'), 12) as crs,
        list(model order by value desc, model) filter (where metric = 'crs')[1] as best_model,
        max(value) filter (where metric = 'crs') as best_crs
    from metrics
    group by release, judge, slice_value

)

select * from domains
order by release, judge, crs, sector
