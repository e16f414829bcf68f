-- Pearson's correlation from weighted sums of two scores, their squares and their product; null where one never varies.
create macro macros.correlation(weight, x, y, xx, yy, xy) as
    (weight * xy - x * y)
    / nullif(sqrt(greatest(0, weight * xx - x * x)) * sqrt(greatest(0, weight * yy - y * y)), 0)
