-- One row per two releases, model, judge, metric, slice and group of filings: what the group adds to the model's two means.
--
-- Over units that both releases ask in the same words, and have a score for; see `macros.paired_sums`: cases with the same
-- id, query, context and target, and pairs whose answerable cases are all the same. release comes before other_release
-- by name; other_model is the model.
with scores as materialized (

    select * from suites.scores
    where score is not null

),

cases as (

    select
        release,
        suite,
        case_id,
        qa_pair_id,
        query,
        context_id,
        target,
        is_answerable,
        count(*) filter (where is_answerable) over (
            partition by release, suite, qa_pair_id
        ) as n_answerable
    from raw.cases

),

same_cases as materialized (

    select
        one.suite,
        one.release,
        other.release as other_release,
        one.case_id,
        one.qa_pair_id,
        one.is_answerable,
        greatest(one.n_answerable, other.n_answerable) as n_answerable
    from cases as one
    inner join cases as other
        on one.suite = other.suite
        and one.case_id = other.case_id
        and one.query = other.query
        and one.context_id is not distinct from other.context_id
        and one.target = other.target
        and one.release < other.release

),

same_units as (

    select
        suite,
        release,
        other_release,
        case_id as unit_id
    from same_cases
    union all
    select
        suite,
        release,
        other_release,
        qa_pair_id as unit_id
    from same_cases
    where is_answerable
    group by suite, release, other_release, qa_pair_id
    having count(*) = any_value(n_answerable)

),

paired as (

    select
        scores.suite,
        scores.release,
        others.release as other_release,
        scores.judge,
        scores.metric,
        scores.cut,
        scores.other_cut,
        scores.group_number,
        scores.model,
        scores.model as other_model,
        scores.score,
        others.score as other_score
    from scores
    inner join same_units using (suite, release, unit_id)
    inner join scores as others
        on scores.suite = others.suite
        and scores.model = others.model
        and scores.judge = others.judge
        and scores.metric = others.metric
        and scores.unit_id = others.unit_id
        and same_units.other_release = others.release

)

select * from macros.paired_sums('paired')
