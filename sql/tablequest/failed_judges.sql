-- One row per release and judge that rates no model, because its verdicts follow the order of the answers.
--
-- Its verdict changes with the order in more than nine of ten games; a judge that guesses does so in two of three games at
-- most. What it said stays in `games`, `outcomes` and `position_bias`.
with position_bias as (

    select * from tablequest.position_bias
    where level = 'all'

),

failed_judges as (

    select
        release,
        judge,
        n,
        n_order_dependent,
        first_share,
        'no rating: the judge follows the order of the answers' as reason
    from position_bias
    where order_dependent_share > 0.9

)

select * from failed_judges
order by release, judge
