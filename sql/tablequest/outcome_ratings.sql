-- One row per release, judge, level, model, other model and outcome: the games of `outcomes` with this outcome.
--
-- rating     won, tie or lost; null of games without a verdict
-- expected   the level
with outcome_ratings as (

    select
        release,
        judge,
        level as expected,
        model,
        other_model,
        unnest(['won', 'tie', 'lost', null]) as rating,
        coalesce(rating = 'won', false) as is_compliant,
        unnest([n_won, n_tied, n_lost, n_unscored]) as n
    from tablequest.outcomes as outcomes

)

select * from outcome_ratings
where n > 0
order by release, judge, expected, model, other_model, rating desc nulls last
