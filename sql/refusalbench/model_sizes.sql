-- One row per release, judge, model and setting (or `all`): both accuracies beside its family, size, tuning and budget of thoughts.
--
-- The catalogue of models says these. sft_model is the model of the same family and size that was tuned by examples
-- alone, for one tuned by preferences (DPO): answer_gain and refusal_gain are what the latter has more.
with leaderboard as (

    select * from refusalbench.leaderboard

),

models as (

    select
        release,
        judge,
        setting,
        model,
        family,
        parameters_b,
        tuning,
        thinking_tokens,
        answer_accuracy,
        refusal_accuracy
    from leaderboard
    left join raw.known_models using (model)

),

model_sizes as (

    select
        models.*,
        others.model as sft_model,
        models.answer_accuracy - others.answer_accuracy as answer_gain,
        models.refusal_accuracy - others.refusal_accuracy as refusal_gain
    from models
    left join models as others
        on models.release = others.release
        and models.judge = others.judge
        and models.setting = others.setting
        and models.family = others.family
        and models.parameters_b = others.parameters_b
        and models.tuning = 'DPO'
        and others.tuning = 'SFT'

)

select * from model_sizes
order by release, judge, setting, family nulls last, parameters_b nulls last, tuning, thinking_tokens, model
