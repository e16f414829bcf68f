-- Every variant of the suite, the baseline among them: each pair has a case, or a reject, of each.
create macro failsafeqa.perturbations() as
    list_concat(failsafeqa.answerable_perturbations(), ['missing_context', 'irrelevant_context'])
