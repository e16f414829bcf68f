-- One row per suite, release, relation, two raters, slice and measure: how far they agree.
--
-- relation    two judges; judged again (the same judge twice); audited (an auditor, or all of them, and a judge); two
--             auditors; raters (those of a suite's `ratings`, such as verifiers); self-preference (see
--             `reports.judge_self_preference`); own work (the same of a suite's raters, such as verifiers); own answers and kinds of questions (see `reports.question_audits`)
-- measure     of ratings from 1 to 6: agreement and kappa of compliance, weighted_kappa (quadratic), pearson, spearman,
--             kendall (tau-b) and distance (mean); of labels: agreement and kappa
with current_sets as (

    select * from raw.result_sets
    where is_current

)

select * from raw.agreements
semi join current_sets using (suite, release, score_id)
order by suite, release, relation, rater, other_rater, slice_by, slice_value, measure
