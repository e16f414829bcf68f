-- One row per release, model and judge: refusals where the context cannot answer, beside robustness and LLM Compliance.
select
    release,
    model,
    judge,
    max(value) filter (
        where metric = 'context_grounding' and slice_by = 'variant' and slice_value = 'irrelevant_context'
    ) as irrelevant_context,
    max(value) filter (
        where metric = 'context_grounding' and slice_by = 'variant' and slice_value = 'missing_context'
    ) as missing_context,
    max(value) filter (where metric = 'context_grounding' and slice_by = 'task' and slice_value = 'qa') as context_grounding_qa,
    max(value) filter (where metric = 'context_grounding' and slice_by = 'task' and slice_value = 'tg') as context_grounding_tg,
    max(value) filter (where metric = 'context_grounding' and slice_by = 'overall') as context_grounding,
    max(macros.interval(low, high)) filter (
        where metric = 'context_grounding' and slice_by = 'overall'
    ) as context_grounding_interval,
    max(value) filter (where metric = 'robustness' and slice_by = 'overall') as robustness,
    max(value) filter (where metric = 'llmc' and slice_by = 'overall') as llmc,
    max(macros.interval(low, high)) filter (where metric = 'llmc' and slice_by = 'overall') as llmc_interval,
    max(n) filter (where metric = 'context_grounding' and slice_by = 'overall') as n_cases,
    max(n_unscored) filter (
        where metric = 'context_grounding' and slice_by = 'overall'
    ) as n_unscored_cases
from failsafeqa.metrics as metrics
group by all
order by release, llmc desc nulls last, model, judge
