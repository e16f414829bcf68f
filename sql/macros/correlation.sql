-- Pearson's correlation from weighted sums of two scores, their squares and their product.
--
-- Null where one never varies: where its variance is less than what sums of fractions are rounded by.
create macro macros.correlation(weight, x, y, xx, yy, xy) as
    case
        when weight * xx - x * x > 1e-9 * weight * xx and weight * yy - y * y > 1e-9 * weight * yy
            then macros.within_one((weight * xy - x * y) / sqrt(weight * xx - x * x) / sqrt(weight * yy - y * y))
    end
