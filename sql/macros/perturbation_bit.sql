-- A variant as a bit of a number: what holds of a pair's cases fits in one integer.
create macro macros.perturbation_bit(variant) as
    (1 << (list_position(macros.perturbations(), variant) - 1))::integer
