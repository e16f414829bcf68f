-- The bits of the perturbations that robustness counts; the others are those of context grounding.
create macro failsafeqa.answerable_bits() as ((1 << len(failsafeqa.answerable_perturbations())) - 1)::integer
