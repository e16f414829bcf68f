-- One row per release, model and judge of the lake, and one per model printed in the FailSafeQA paper (see source).
--
-- n_attacks answers were written to deceive the judge, and it fell for n_fell; null if it was not tried.
--
-- Models that were told how to pass (prompt = 'coached') come after the others: the two are not one ranking. Before there
-- was a choice, all were; lakes of then have the operation `answer`.
with tested_models as (

    select * from reports.tested_models
    where suite = 'failsafeqa'

),

judge_trials as (

    select * from reports.judge_trials
    where suite = 'failsafeqa'

),

own_models as (

    select
        model,
        context_grounding.llmc,
        robustness.robustness,
        context_grounding.context_grounding,
        'this release' as source,
        context_grounding.llmc_interval,
        robustness.robustness_interval,
        context_grounding.context_grounding_interval,
        robustness.baseline,
        robustness.n_pairs,
        judge,
        release,
        if(tested_models.asked_by = 'answer_neutral', 'neutral', 'coached') as prompt,
        judge_trials.n_attacks,
        judge_trials.n_fell
    from failsafeqa.robustness as robustness
    inner join failsafeqa.context_grounding as context_grounding using (release, model, judge)
    left join tested_models using (release, model)
    left join judge_trials using (release, judge)

),

published_models as (

    select
        model,
        llmc,
        robustness,
        context_grounding,
        'paper (Kamble et al. 2025)' as source,
        baseline,
        n_questions as n_pairs,
        judge
    from failsafeqa.paper_models as paper_models

),

leaderboard as (

    select * from own_models
    union all by name
    select * from published_models

)

select * from leaderboard
order by source = 'this release' desc, prompt != 'neutral', llmc desc nulls last, source, release, model, judge
