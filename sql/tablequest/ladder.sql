-- One row per release, judge, level and model: its ratings, with the baseline's set to 1000.
--
-- elo rates games with the baseline, bradley_terry all games. A model that won or
-- lost all games with the baseline has a clipped Elo rating: it lies further off than so few games can show. Ratings by a
-- judge that failed are left out: `metrics` has them, 1000 for every model. The level `all` pools the games of all questions.
-- In several formats of tables, a question is a game in each of them; `leaderboard` has ratings by format.
with metrics as (

    select
        release,
        judge,
        if(slice_by = 'overall', 'all', slice_value) as level,
        model,
        metric,
        n,
        n_unscored,
        value,
        low,
        high
    from reports.metrics
    where suite = 'tablequest' and slice_by in ('overall', 'task')

),

compared as (

    select
        release,
        judge,
        level,
        model,
        any_value(n) filter (where metric = 'elo') as n,
        any_value(n_unscored) filter (where metric = 'elo') as n_unscored,
        any_value(value) filter (where metric = 'elo') as elo,
        any_value(low) filter (where metric = 'elo') as low,
        any_value(high) filter (where metric = 'elo') as high,
        any_value(value) filter (where metric = 'bradley_terry') as bradley_terry,
        any_value(low) filter (where metric = 'bradley_terry') as bradley_terry_low,
        any_value(high) filter (where metric = 'bradley_terry') as bradley_terry_high,
        count(*) filter (where metric = 'bradley_terry') = 1 as has_bradley_terry,
        -- of the baseline alone the Elo rating counts all games; a model that met it and others has more of them
        sum(n + n_unscored) filter (where metric = 'elo')
        = sum(n + n_unscored) filter (where metric = 'points') as counts_all_games
    from metrics
    group by all
    having count(*) filter (where metric = 'elo') = 1

),

with_baseline as (

    select
        outcomes.release,
        outcomes.judge,
        outcomes.level,
        outcomes.model,
        -- the baseline itself can have met several models that are rated 1000, too
        bool_or(outcomes.n_tied = 0 and outcomes.n_won in (0, outcomes.n)) as is_one_sided
    from tablequest.outcomes as outcomes
    inner join compared as others
        on outcomes.release = others.release
        and outcomes.judge = others.judge
        and outcomes.level = others.level
        and outcomes.other_model = others.model
    where others.elo = 1000 and others.counts_all_games
    group by all

),

ladder as (

    select
        release,
        judge,
        level,
        model,
        compared.n,
        n_unscored,
        if(failed_judges.reason is null, compared.elo, null) as elo,
        if(failed_judges.reason is null, compared.low, null) as low,
        if(failed_judges.reason is null, compared.high, null) as high,
        -- two models that met only each other are told apart by their ratings
        coalesce(compared.elo != 1000 and is_one_sided and failed_judges.reason is null, false) as is_clipped,
        if(failed_judges.reason is null, compared.bradley_terry, null) as bradley_terry,
        if(failed_judges.reason is null, compared.bradley_terry_low, null) as bradley_terry_low,
        if(failed_judges.reason is null, compared.bradley_terry_high, null) as bradley_terry_high,
        case
            when failed_judges.reason is not null then failed_judges.reason
            when compared.elo is null then 'no Elo rating: no game with the baseline has a verdict'
            when has_bradley_terry and compared.bradley_terry is null
                then 'no Bradley-Terry rating: no chain of points leads from it to the baseline and back'
        end as unrated_reason
    from compared
    left join with_baseline using (release, judge, level, model)
    left join tablequest.failed_judges as failed_judges using (release, judge)

)

select * from ladder
order by release, judge, level != 'all', level, elo desc nulls last, model
