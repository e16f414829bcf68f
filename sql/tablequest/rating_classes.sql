-- One row per release, judge, level, model and outcome: its games against the baseline with this outcome.
--
-- rating     won, tie or lost; null of games without a verdict
-- expected   the level
-- share      of the games with a verdict
with outcomes as (

    select
        release,
        judge,
        level as expected,
        model,
        n as n_rated,
        unnest(['won', 'tie', 'lost', null]) as rating,
        unnest([n_won, n_tied, n_lost, n_unscored]) as n_games
    from tablequest.outcomes
    where other_model = coalesce(getvariable('baseline'), 'gpt-4o')

),

rating_classes as (

    select
        * exclude (n_rated, n_games),
        'tablequest' as suite,
        n_games as n,
        if(rating is null, null, n_games / n_rated) as share
    from outcomes
    where n_games > 0

)

select * from rating_classes
order by release, judge, expected, model, rating desc nulls last
