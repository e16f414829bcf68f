-- Whether robustness counts a perturbation.
create macro macros.is_answerable_perturbation(perturbation) as
    list_contains(macros.answerable_perturbations(), perturbation)
