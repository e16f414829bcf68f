-- One row per pair, model and judge: whether the pair's answers hold under all five answerable perturbations.
--
-- Pairs without a single answerable case are none of robustness. For the rule see `failsafeqa.judged_pairs`.
with judged_pairs as (

    select * from failsafeqa.judged_pairs

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
        bit_count(scored & failsafeqa.answerable_bits()) as n_scored,
        is_robust
    from judged_pairs
    where made & failsafeqa.answerable_bits() != 0

)

select * from robust_pairs
