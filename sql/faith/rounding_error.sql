-- How far two computations of one value in doubles may differ, which hold 15 digits.
create macro faith.rounding_error(quantity) as greatest(1e-9, abs(quantity) * 1e-13)
