-- One row per release, model and judge: compliance under each answerable variant, and its change from the baseline.
--
-- A change is over the pairs that are scored in both: where some have no such variant, it is not the difference of the values. Robustness is counted in `failsafeqa.units`.
with wide as (

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
    from failsafeqa.metrics as metrics
    group by all

),

units as (

    select
        release,
        model,
        judge,
        pair_number,
        coalesce(variant, metric) as changed,
        numerator
    from staging.units
    where suite = 'failsafeqa' and metric in ('compliance', 'robustness') and is_answerable and denominator is not null

),

changes as (

    select
        release,
        model,
        judge,
        avg(units.numerator - baselines.numerator) filter (where units.changed = 'misspelled') as misspelled_change,
        avg(units.numerator - baselines.numerator) filter (where units.changed = 'incomplete') as incomplete_change,
        avg(units.numerator - baselines.numerator) filter (where units.changed = 'out_of_domain') as out_of_domain_change,
        avg(units.numerator - baselines.numerator) filter (where units.changed = 'ocr') as ocr_change,
        avg(units.numerator - baselines.numerator) filter (where units.changed = 'robustness') as robustness_change
    from units
    inner join units as baselines using (release, model, judge, pair_number)
    where baselines.changed = 'baseline'
    group by all

),

robustness as (

    select
        release,
        model,
        judge,
        baseline,
        misspelled,
        misspelled_change,
        incomplete,
        incomplete_change,
        out_of_domain,
        out_of_domain_change,
        ocr,
        ocr_change,
        robustness,
        robustness_interval,
        robustness_change,
        n_pairs,
        n_unscored_pairs
    from wide
    left join changes using (release, model, judge)

)

select * from robustness
order by release, robustness desc nulls last, model, judge
