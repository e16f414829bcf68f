-- One row per release, suite, auditor and who the auditor is compared with (each judge, each other auditor), and slice.
--
-- No rows without `tenkbench audit import`.
-- `rater` is an auditor, or all of them together; n counts ratings, so an answer that two have rated counts twice there.
-- Values are for all answers that the audited ones were drawn from: each counts for as many as its stratum has per
-- answer of it that was rated (by both, of two auditors). `tenkbench score` computes them after an import of audits.
with audit_agreement as (

    pivot (
        select
            release,
            suite,
            rater,
            if(relation = 'audited', 'judge', 'auditor') as compared_with,
            other_rater,
            slice_by,
            slice_value,
            n,
            n_unscored,
            measure,
            value,
            low,
            high
        from reports.agreements
        where relation in ('audited', 'two auditors') and slice_by != 'model'
    )
    on measure in ('pearson', 'spearman', 'kendall', 'agreement', 'kappa')
    using any_value(value) as value, any_value(low) as low, any_value(high) as high

)

select * rename (
    pearson_value as pearson,
    spearman_value as spearman,
    kendall_value as kendall,
    agreement_value as agreement,
    kappa_value as kappa
)
from audit_agreement
order by release, suite, compared_with desc, rater, other_rater, slice_by, slice_value
