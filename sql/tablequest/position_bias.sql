-- One row per release, judge and level: how far its verdicts follow the order in which it is shown two answers.
--
-- first_share is 1/2 if the order does not change a judge's verdicts, and 1 if it always prefers the first answer. The level
-- `all` is that of all questions.
with games as (

    select
        * exclude (level),
        unnest(['all', level]) as level
    from tablequest.games
    where model < other_model

),

counted as (

    select
        release,
        judge,
        level,
        count(outcome) as n,
        count(*) filter (where first_label != second_label) as n_order_dependent,
        count(*) filter (where first_label != 'tie' and second_label != 'tie') as n_decided,
        count(*) filter (where first_label = 'won' and second_label != 'tie')
        + count(*) filter (where second_label = 'lost' and first_label != 'tie') as n_for_first
    from games
    group by all

),

position_bias as (

    select
        * exclude (n_for_first),
        n_for_first / nullif(2 * n_decided, 0) as first_share,
        n_order_dependent / nullif(n, 0) as order_dependent_share
    from counted

)

select * from position_bias
order by release, judge, list_position(['all', 'easy', 'medium', 'hard'], level)
