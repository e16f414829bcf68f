-- One row per release, judge, level, model and outcome: its games against the baseline with this outcome.
--
-- rating     won, tie or lost; null of games without a verdict
-- expected   the level
with outcome_ratings as (

    select
        release,
        judge,
        level as expected,
        model,
        unnest(['won', 'tie', 'lost', null]) as rating,
        coalesce(rating = 'won', false) as is_compliant,
        unnest([n_won, n_tied, n_lost, n_unscored]) as n
    from tablequest.outcomes as outcomes
    where other_model = coalesce(getvariable('baseline'), 'gpt-4o')

)

select * from outcome_ratings
where n > 0
order by release, judge, expected, model, rating desc nulls last
