-- The bits of the perturbations that robustness counts; the others are those of context grounding.
create macro macros.answerable_bits() as ((1 << len(macros.answerable_perturbations())) - 1)::integer
