-- A variant as a bit of a number: what holds of a pair's cases fits in one integer.
create macro failsafeqa.perturbation_bit(variant) as
    (1 << (list_position(failsafeqa.perturbations(), variant) - 1))::integer
