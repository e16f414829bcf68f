-- The share of a normal distribution beyond z of 0 or more, by a rational expansion that keeps its relative precision far
-- out (Press et al., "Numerical Recipes", erfcc; better than 1.2e-7), which 1 less the share below z would lose.
create macro macros.normal_tail(z) as
    0.5 / (1 + z / 2.8284271247461903)
    * exp(
        -z * z / 2 - 1.26551223
        + list_reduce(
            [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, 0],
            lambda so_far, coefficient: so_far / (1 + z / 2.8284271247461903) + coefficient
        )
    )
