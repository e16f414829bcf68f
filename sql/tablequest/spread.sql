-- One row per release, judge and model with both ratings: how much lower its Elo rating is on hard questions than on easy ones.
with spread as (

    select
        release,
        judge,
        model,
        any_value(elo) filter (where level = 'easy') as easy,
        any_value(elo) filter (where level = 'medium') as medium,
        any_value(elo) filter (where level = 'hard') as hard,
        easy - hard as spread
    from tablequest.ladder
    group by all
    having spread is not null

)

select * from spread
order by release, judge, spread desc nulls last, model
