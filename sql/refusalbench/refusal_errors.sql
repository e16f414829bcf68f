-- One row per release, judge and setting (or `all`): how false and missed refusals correlate across its models.
--
-- correlation is Pearson's; it is null for fewer than three models. If it is below 0, models that refuse less miss more refusals.
with leaderboard as (

    select * from refusalbench.leaderboard
    where false_refusal is not null and missed_refusal is not null

),

refusal_errors as (

    select
        release,
        judge,
        setting,
        count(*) as n_models,
        avg(false_refusal) as mean_false_refusal,
        avg(missed_refusal) as mean_missed_refusal,
        -- in one order, since DuckDB adds in any
        if(count(*) > 2, round(corr(false_refusal, missed_refusal), 12), null) as correlation
    from leaderboard
    group by release, judge, setting

)

select * from refusal_errors
order by release, judge, setting
