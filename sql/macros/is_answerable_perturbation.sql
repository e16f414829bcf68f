-- Whether robustness counts a variant.
create macro macros.is_answerable_perturbation(variant) as
    list_contains(macros.answerable_perturbations(), variant)
