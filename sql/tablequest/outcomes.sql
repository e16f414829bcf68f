-- One row per release, judge, level, model and other model: how many games the one won, tied and lost against the other.
--
-- A game is a case that both answered. It is won only if the judge says so in both orders, and lost likewise. The level
-- `all` is that of all questions.
with games as (

    select
        * exclude (level),
        unnest(['all', level]) as level
    from tablequest.games

),

outcomes as (

    select
        release,
        judge,
        level,
        model,
        other_model,
        count(outcome) as n,
        count(*) filter (where outcome = 'won') as n_won,
        count(*) filter (where outcome = 'tie') as n_tied,
        count(*) filter (where outcome = 'lost') as n_lost,
        count(*) filter (where outcome is null) as n_unscored
    from games
    group by all

)

select * from outcomes
order by release, judge, level != 'all', level, model, other_model
