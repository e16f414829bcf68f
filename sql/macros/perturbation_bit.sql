-- A perturbation as a bit of a number: what holds of a pair's cases fits in one integer.
create macro macros.perturbation_bit(perturbation) as
    (1 << (list_position(macros.perturbations(), perturbation) - 1))::integer
