-- One row per judge that is also a candidate, other judge and measure: how much higher it rates its own answers than others'.
--
-- No rows without two judges, of which one is a candidate.
-- On n cases that both judges rated of it and of at least one other candidate: own_difference is its rating of its own
-- answer less the other judge's, others_difference the same over the others' answers, self_preference the first less the
-- second. Without a second judge a liking for one's own answers cannot be told from their quality, and without a third
-- candidate (the other judge's answers are left out) not from leniency: then there is no row.
--
-- Read it against several judges: one that errs at random, or has no rating above 6 to give, rates better answers lower
-- than they deserve, and a judge whose own answers are the better ones then seems to prefer them.
select
    release,
    suite,
    rater as judge,
    other_rater as other_judge,
    slice_value as measure,
    n,
    any_value(value) filter (where agreements.measure = 'own difference') as own_difference,
    any_value(value) filter (where agreements.measure = 'others difference') as others_difference,
    any_value(value) filter (where agreements.measure = 'self-preference') as self_preference,
    any_value(low) filter (where agreements.measure = 'self-preference') as low,
    any_value(high) filter (where agreements.measure = 'self-preference') as high
from reports.agreements as agreements
where relation = 'self-preference'
group by release, suite, judge, other_judge, slice_value, n
order by release, suite, judge, other_judge, slice_value
