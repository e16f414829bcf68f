-- Two-sided p of Student's t, by its normal equivalent (Wallace 1959): from five degrees of freedom on within 5 % of it
-- for t up to 5, and beyond too large rather than too small.
create macro macros.student_p(t, degrees) as
    2 * macros.normal_tail(sqrt(degrees * ln(1 + t * t / degrees)) * (8 * degrees + 1) / (8 * degrees + 3))
