-- Cohen's kappa with quadratic weights from weighted sums of two scores, their squares and their product.
--
-- 1 - the mean square of differences over what it would be if the two raters' scores were dealt at random. Of scores
-- that are 0 or 1 it is the plain kappa. Null where both raters give one and the same score throughout.
create macro macros.kappa(weight, x, y, xx, yy, xy) as
    1 - (xx + yy - 2 * xy) * weight / nullif((xx + yy) * weight - 2 * x * y, 0)
