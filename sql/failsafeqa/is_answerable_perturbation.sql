-- Whether robustness counts a variant.
create macro failsafeqa.is_answerable_perturbation(variant) as
    list_contains(failsafeqa.answerable_perturbations(), variant)
