-- One row per pair, model and judge: whether the pair's answers hold under all five answerable perturbations.
--
-- Pairs without a single answerable case are none of robustness. For the rule see `staging.judged_pairs`.
with judged_pairs as (

    select * from staging.judged_pairs

),

robust_pairs as (

    select
        qa_pair_id,
        group_number,
        release,
        suite,
        model,
        judge,
        task,
        bit_count(scored & macros.answerable_bits()) as n_scored,
        is_robust
    from judged_pairs
    where made & macros.answerable_bits() != 0

)

select * from robust_pairs
