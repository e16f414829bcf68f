-- One row per metric of FailSafeQA that is made of two others: LLM Compliance, of robustness and grounding weighed by beta.
--
-- See `macros.f_measure`. No slice by perturbation has robustness, and none by where the answer stands has grounding.
with derived as (

    select
        'failsafeqa' as suite,
        'llmc' as metric,
        'robustness' as part,
        'context_grounding' as other_part,
        failsafeqa.beta() * failsafeqa.beta() as weight,
        ['variant', 'answer_position'] as not_by

)

select * from derived
