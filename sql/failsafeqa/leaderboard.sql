-- One row per release, model and judge of the lake, and one per model printed in the FailSafeQA paper (see source).
--
-- n_attacks answers were written to deceive the judge, and it fell for n_fell; null if it was not tried.
--
-- Models that were told how to pass (prompt = 'coached') come after the others: the two are not one ranking. Before there
-- was a choice, all were; lakes of then have the operation `answer`.
with robustness as (

    select * from failsafeqa.robustness

),

context_grounding as (

    select * from failsafeqa.context_grounding

),

tested_models as (

    select * from reports.tested_models
    where suite = 'failsafeqa'

),

judge_trials as (

    select * from reports.judge_trials
    where suite = 'failsafeqa'

),

published as (

    select * from failsafeqa.published

),

own_models as (

    select
        'this lake' as source,
        release,
        model,
        if(tested_models.asked_by = 'answer_neutral', 'neutral', 'coached') as prompt,
        judge,
        robustness.baseline,
        robustness.robustness,
        robustness.robustness_interval,
        context_grounding.context_grounding,
        context_grounding.context_grounding_interval,
        context_grounding.llmc,
        context_grounding.llmc_interval,
        robustness.n_pairs,
        judge_trials.n_attacks,
        judge_trials.n_fell
    from robustness
    inner join context_grounding using (release, model, judge)
    left join tested_models using (release, model)
    left join judge_trials using (release, judge)

),

published_models as (

    select
        'paper (Kamble et al. 2025)' as source,
        null as release,
        model,
        null as prompt,
        'Qwen2.5-72B-Instruct' as judge,
        baseline,
        robustness,
        null as robustness_interval,
        context_grounding,
        null as context_grounding_interval,
        llmc,
        null as llmc_interval,
        220 as n_pairs,
        null as n_attacks,
        null as n_fell
    from published

),

leaderboard as (

    select * from own_models
    union all
    select * from published_models

)

select * from leaderboard
order by source = 'this lake' desc, prompt != 'neutral', llmc desc nulls last, source, release, model, judge
