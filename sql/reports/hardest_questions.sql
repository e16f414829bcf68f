-- One row per release, suite, judge and pair: how many answers to its cases are right, of all models; the hardest come first.
--
-- n_models_at_zero counts the models without a right answer, or one that is right in part. `tenkbench explain` shows a
-- pair's cases by its id.
with answers as (

    select *
    from staging.judged_answers
    where is_counted

),

cases as (

    select
        release,
        suite,
        case_id,
        qa_pair_id
    from raw.cases

),

pairs as (

    select
        release,
        suite,
        qa_pair_id,
        task,
        filing_id
    from staging.pairs

),

qa_pairs as (

    select
        release,
        suite,
        qa_pair_id,
        query,
        answer as target
    from raw.qa_pairs

),

filings as (

    select
        release,
        filing_id,
        company,
        period_end
    from raw.filings

),

of_models as (

    select
        answers.release,
        answers.suite,
        answers.judge,
        cases.qa_pair_id,
        answers.model,
        count(answers.value) as n,
        count(*) filter (where answers.value is null) as n_unscored,
        sum(answers.value) as total
    from answers
    inner join cases using (release, suite, case_id)
    group by all

),

counted as (

    select
        release,
        suite,
        judge,
        qa_pair_id,
        count(*) filter (where n > 0) as n_models,
        count(*) filter (where total = 0) as n_models_at_zero,
        sum(n)::bigint as n,
        sum(n_unscored)::bigint as n_unscored,
        sum(total) / sum(n) filter (where n > 0) as value
    from of_models
    group by all

),

hardest_questions as (

    select
        counted.release,
        counted.suite,
        counted.judge,
        counted.value,
        counted.n,
        counted.n_unscored,
        counted.n_models,
        counted.n_models_at_zero,
        counted.qa_pair_id,
        pairs.task,
        filings.company,
        filings.period_end,
        qa_pairs.query,
        qa_pairs.target
    from counted
    inner join pairs using (release, suite, qa_pair_id)
    inner join qa_pairs using (release, suite, qa_pair_id)
    left join filings
        on pairs.release = filings.release
        and pairs.filing_id = filings.filing_id

)

select * from hardest_questions
order by release, suite, judge, value nulls last, n desc, qa_pair_id
