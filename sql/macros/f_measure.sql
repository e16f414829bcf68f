-- The weighted F-measure of two shares; 0 when both are 0, null when either is null.
--
-- The weight is the square of beta: above 1 the first share decides more, below 1 the other.
create macro macros.f_measure(share, other_share, weight) as
    case
        when share = 0 and other_share = 0 then 0.0
        else (1 + weight) * share * other_share / (weight * other_share + share)
    end
