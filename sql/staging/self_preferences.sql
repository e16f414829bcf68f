-- One row per case, judge whose model is also a candidate, and other judge: by how much the one rates its own answer higher.
--
-- Those of the relation `own work` are a suite's: what a rater of `suites.own_work` says of its own work and of others'.
--
-- `own` is the judge's rating of its own answer less the other judge's; `others` is the mean of the same over the answers
-- of the other candidates. A judge that is lenient with everyone has both; one that prefers itself has more of the first.
-- The other judge's own answers are left out: its liking for itself would count as ours.
with pairs as (

    select
        release,
        suite,
        request_id,
        model,
        group_number,
        unnest([
            {'judge': rater, 'other_judge': other_rater, 'rating': rating - other_rating, 'compliance': compliance - other_compliance},
            {'judge': other_rater, 'other_judge': rater, 'rating': other_rating - rating, 'compliance': other_compliance - compliance}
        ]) as difference
    from staging.verdict_pairs
    where relation = 'two judges' and rating is not null and other_rating is not null

),

by_case as (

    select
        pairs.release,
        pairs.suite,
        answer_requests.case_id,
        pairs.group_number,
        difference.judge as judge,
        difference.other_judge as other_judge,
        avg(difference.rating) filter (where pairs.model = macros.judge_model(difference.judge)) as own_rating,
        avg(difference.rating) filter (where pairs.model != macros.judge_model(difference.judge)) as others_rating,
        avg(difference.compliance) filter (where pairs.model = macros.judge_model(difference.judge)) as own_compliance,
        avg(difference.compliance) filter (where pairs.model != macros.judge_model(difference.judge)) as others_compliance
    from pairs
    inner join staging.answer_requests as answer_requests using (release, suite, request_id)
    where pairs.model != macros.judge_model(difference.other_judge)
    group by all

),

self_preferences as (

    select
        'self-preference' as relation,
        release,
        suite,
        case_id,
        group_number,
        judge,
        other_judge,
        unnest(['rating', 'compliance']) as measure,
        unnest([own_rating, own_compliance]) as own,
        unnest([others_rating, others_compliance]) as others
    from by_case
    where own_rating is not null and others_rating is not null

    union all

    select
        'own work',
        release,
        suite,
        unit,
        group_number,
        rater,
        'others',
        measure,
        own,
        others
    from suites.own_work

)

select * from self_preferences
