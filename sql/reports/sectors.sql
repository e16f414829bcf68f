-- One row per release, suite, judge, metric, sector and model: the metric on the sector's filings, beside that on all.
--
-- No rows without filings, such as those of a published file.
with metrics as (

    select * from reports.metrics
    where value is not null

),

sectors as (

    select
        of_sector.release,
        of_sector.suite,
        of_sector.judge,
        of_sector.metric,
        of_sector.slice_value as sector,
        of_sector.model,
        of_sector.value,
        of_sector.low,
        of_sector.high,
        of_sector.n,
        of_sector.n_unscored,
        of_sector.n_groups,
        overall.value as overall
    from metrics as of_sector
    inner join metrics as overall using (release, suite, judge, metric, model)
    where of_sector.slice_by = 'sector' and overall.slice_by = 'overall'

)

select * from sectors
order by release, suite, judge, metric, sector, value desc, model
