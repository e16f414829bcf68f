-- One row per release, judge and level: how far its verdicts follow the order in which it is shown two answers.
--
-- first_share is the share of points that go to the answer shown first, a tie being half a point: 1/2 if the order does not
-- change a judge's verdicts, and 1 if it always prefers the first answer. Games that a reply without an answer decided have no
-- verdict of the judge. The level `all` is that of all questions.
with games as (

    select
        * exclude (level),
        unnest(['all', level]) as level
    from tablequest.games
    where model < other_model and not is_silent

),

counted as (

    select
        release,
        judge,
        level,
        count(outcome) as n,
        count(*) filter (where first_label != second_label) as n_order_dependent,
        count(*) filter (where first_label != 'tie' and second_label != 'tie') as n_decided,
        sum(
            case first_label when 'won' then 1 when 'tie' then 0.5 when 'lost' then 0 end
            + case second_label when 'lost' then 1 when 'tie' then 0.5 when 'won' then 0 end
        ) as points_of_first
    from games
    group by all

),

position_bias as (

    select
        * exclude (points_of_first),
        points_of_first / nullif(2 * n, 0) as first_share,
        n_order_dependent / nullif(n, 0) as order_dependent_share
    from counted

)

select * from position_bias
order by release, judge, list_position(['all', 'easy', 'medium', 'hard'], level)
