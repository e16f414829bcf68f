-- One row per two raters, slice, group of filings and two labels: how many units got the first label from the first rater and the second from the second.
--
-- relation    as in `staging.verdict_pairs`, whose labels are ratings, or of two judges that do not rate, whether an
--             answer is right (their label, or the metric `right`); `raters`: any two of a suite's `ratings`;
--             `own answers` and `kinds of questions`: an auditor of questions (or all of them) and the dataset
-- weight      units that they stand for
with answers as (

    select
        'two judges' as relation,
        release,
        suite,
        model,
        case_id,
        judge as rater,
        (numerator = denominator)::varchar as verdict
    from suites.units
    where metric = 'right'

),

verdicts as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        group_number,
        coalesce(rating::varchar, answers.verdict, label) as label,
        coalesce(other_rating::varchar, others.verdict, other_label) as other_label,
        weight,
        unnest(['overall', 'model', 'rubric']) as slice_by,
        unnest(['all', model, rubric]) as slice_value
    from staging.verdict_pairs as verdict_pairs
    left join answers using (relation, release, suite, model, rater, case_id)
    left join (select * rename (rater as other_rater) from answers) as others
        using (relation, release, suite, model, other_rater, case_id)

),

raters as (

    select
        'raters' as relation,
        release,
        suite,
        ratings.rater,
        others.rater as other_rater,
        ratings.group_number,
        ratings.label,
        others.label as other_label,
        1.0 as weight,
        'overall' as slice_by,
        'all' as slice_value
    from suites.ratings as ratings
    inner join suites.ratings as others using (release, suite, unit)
    where ratings.rater < others.rater

),

question_audits as (

    select
        *,
        unnest([auditor, 'all auditors']) as rater
    from staging.question_audits
    where agrees is not null

),

questions as (

    select
        unnest(['own answers', 'own answers', 'kinds of questions', 'kinds of questions']) as relation,
        release,
        suite,
        rater,
        'dataset' as other_rater,
        group_number,
        unnest([said, said, rated_kind, rated_kind]) as label,
        unnest(['ours', 'ours', task, task]) as other_label,
        weight,
        unnest(['overall', 'task', 'overall', 'task']) as slice_by,
        unnest(['all', task, 'all', task]) as slice_value
    from (
        select
            *,
            if(agrees, 'ours', 'another') as said
        from question_audits
    )

),

rating_tables as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice_by,
        slice_value,
        group_number,
        label,
        other_label,
        count(*) as n,
        sum(weight)::double as weight
    from (
        from verdicts
        union all by name
        from raters
        union all by name
        from questions
    )
    group by all

)

select * from rating_tables
