-- One row per release, judge, model and setting (or `all`): both accuracies beside family, size, tuning and budget of thoughts.
--
-- A model tuned by preferences (DPO) has the gains over the model of its family and size that was tuned by examples
-- alone (SFT). Models of one family and size that differ in thinking_tokens are one model with several budgets.
with metrics as (

    select
        release,
        judge,
        model,
        if(slice_by = 'overall', 'all', slice_value) as setting,
        metric,
        value,
        macros.interval(low, high) as value_interval
    from reports.metrics
    where
        suite = 'refusalbench'
        and metric in ('answer_accuracy', 'refusal_accuracy')
        and slice_by in ('overall', 'task')

),

accuracies as (

    select
        release,
        judge,
        model,
        setting,
        any_value(value) filter (where metric = 'answer_accuracy') as answer_accuracy,
        any_value(value_interval) filter (where metric = 'answer_accuracy') as answer_accuracy_interval,
        any_value(value) filter (where metric = 'refusal_accuracy') as refusal_accuracy,
        any_value(value_interval) filter (where metric = 'refusal_accuracy') as refusal_accuracy_interval
    from metrics
    group by all

),

models as (

    select
        accuracies.*,
        models.family,
        models.parameters_b,
        models.tuning,
        models.thinking_tokens
    from accuracies
    left join raw.models as models
        on accuracies.release = models.release
        and accuracies.model = models.model
        and models.suite = 'refusalbench'

),

scaling as (

    select
        models.*,
        sft.model as sft_model,
        models.answer_accuracy - sft.answer_accuracy as answer_gain,
        models.refusal_accuracy - sft.refusal_accuracy as refusal_gain
    from models
    left join models as sft
        on models.release = sft.release
        and models.judge = sft.judge
        and models.setting = sft.setting
        and models.family = sft.family
        and models.parameters_b = sft.parameters_b
        and models.thinking_tokens = sft.thinking_tokens
        and models.tuning = 'DPO'
        and sft.tuning = 'SFT'

)

select * from scaling
order by release, judge, setting, family nulls last, parameters_b nulls last, tuning, thinking_tokens, model
