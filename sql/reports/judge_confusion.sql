-- One row per release, suite, pair of judges and two ratings: how many answers got the first rating from the first judge and the second from the second.
--
-- No rows without two judges that rate.
-- A rating is null where that judge left the answer unscored.
with verdict_pairs as (

    select * from staging.verdict_pairs
    where relation = 'two judges'

),

judge_confusion as (

    select
        release,
        suite,
        rater as judge,
        other_rater as other_judge,
        rating,
        other_rating,
        count(*) as n
    from verdict_pairs
    group by all

)

select * from judge_confusion
order by release, suite, judge, other_judge, rating, other_rating
