-- One row per release, model and judge: compliance under each answerable variant, and its change from the baseline.
with metrics as (

    select * from failsafeqa.metrics

),

wide as (

    select
        release,
        model,
        judge,
        max(value) filter (where metric = 'compliance' and slice_by = 'variant' and slice_value = 'baseline') as baseline,
        max(value) filter (where metric = 'compliance' and slice_by = 'variant' and slice_value = 'misspelled') as misspelled,
        max(value) filter (where metric = 'compliance' and slice_by = 'variant' and slice_value = 'incomplete') as incomplete,
        max(value) filter (where metric = 'compliance' and slice_by = 'variant' and slice_value = 'out_of_domain') as out_of_domain,
        max(value) filter (where metric = 'compliance' and slice_by = 'variant' and slice_value = 'ocr') as ocr,
        max(value) filter (where metric = 'robustness' and slice_by = 'overall') as robustness,
        max(macros.interval(low, high)) filter (
            where metric = 'robustness' and slice_by = 'overall'
        ) as robustness_interval,
        max(n) filter (where metric = 'robustness' and slice_by = 'overall') as n_pairs,
        max(n_unscored) filter (where metric = 'robustness' and slice_by = 'overall') as n_unscored_pairs
    from metrics
    group by all

),

robustness as (

    select
        release,
        model,
        judge,
        baseline,
        misspelled,
        misspelled - baseline as misspelled_change,
        incomplete,
        incomplete - baseline as incomplete_change,
        out_of_domain,
        out_of_domain - baseline as out_of_domain_change,
        ocr,
        ocr - baseline as ocr_change,
        robustness,
        robustness_interval,
        robustness - baseline as robustness_change,
        n_pairs,
        n_unscored_pairs
    from wide

)

select * from robustness
order by release, robustness desc nulls last, model, judge
