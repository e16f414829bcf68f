-- One row per release, suite, model and judge: what the model's answers cost per answer that the judge finds right.
--
-- cost_usd is of the answers that count for the judge, scored or not: what it leaves to other judges is left out, and so are
-- judging and building. It is null where nothing is paid per token, and cost_per_correct_usd besides where no answer is
-- right. An answer that is right in part is not right.
--
-- An answer that several requests of the release share counts once. One that another release has paid for counts here, too:
-- a release that reuses answers is as dear as it would be alone. Sums over releases are in reports.spending.
with judged_answers as (

    select * from staging.judged_answers
    where is_counted

),

answers as (

    select
        release,
        suite,
        model,
        judge,
        count(value) as n,
        count(*) filter (where value is null) as n_unscored,
        count(*) filter (where is_compliant) as n_correct
    from judged_answers
    group by all

),

bought as (

    select distinct
        release,
        suite,
        calls.model,
        judge,
        coalesce(key, request_id) as key,
        attempts,
        cost_usd,
        macros.answer_hash(status, attempts, n_prompt, n_cached, n_output, latency_ms, cost_usd) as answer_hash
    from staging.calls as calls
    inner join judged_answers using (release, suite, request_id)
    where status is not null and (operation = 'answer' or starts_with(operation, 'answer_'))

),

costs as (

    select
        release,
        suite,
        model,
        judge,
        count(*) filter (where attempts > 0) as n_calls,
        round(sum(cost_usd), 6) as cost_usd
    from bought
    group by all

),

cost_per_correct_answer as (

    select
        answers.release,
        answers.suite,
        answers.model,
        answers.judge,
        answers.n,
        answers.n_unscored,
        answers.n_correct,
        costs.n_calls,
        costs.cost_usd,
        costs.cost_usd / nullif(answers.n_correct, 0) as cost_per_correct_usd
    from answers
    left join costs using (release, suite, model, judge)

)

select * from cost_per_correct_answer
order by release, suite, judge, cost_per_correct_usd nulls last, model
