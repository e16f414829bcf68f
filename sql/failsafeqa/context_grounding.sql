-- One row per release, model and judge: refusals where the context cannot answer, beside robustness and LLM Compliance.
with metrics as (

    select * from failsafeqa.metrics

),

context_grounding as (

    select
        release,
        model,
        judge,
        max(value) filter (
            where metric = 'context_grounding' and slice = 'variant=irrelevant_context'
        ) as irrelevant_context,
        max(value) filter (
            where metric = 'context_grounding' and slice = 'variant=missing_context'
        ) as missing_context,
        max(value) filter (where metric = 'context_grounding' and slice = 'task=qa') as context_grounding_qa,
        max(value) filter (where metric = 'context_grounding' and slice = 'task=tg') as context_grounding_tg,
        max(value) filter (where metric = 'context_grounding' and slice = 'overall') as context_grounding,
        max(macros.interval(ci_low, ci_high)) filter (
            where metric = 'context_grounding' and slice = 'overall'
        ) as context_grounding_interval,
        max(value) filter (where metric = 'robustness' and slice = 'overall') as robustness,
        max(value) filter (where metric = 'llmc' and slice = 'overall') as llmc,
        max(macros.interval(ci_low, ci_high)) filter (where metric = 'llmc' and slice = 'overall') as llmc_interval,
        max(n) filter (where metric = 'context_grounding' and slice = 'overall') as n_cases,
        max(n_unscored) filter (
            where metric = 'context_grounding' and slice = 'overall'
        ) as n_unscored_cases
    from metrics
    group by all

)

select * from context_grounding
order by release, llmc desc nulls last, model, judge
