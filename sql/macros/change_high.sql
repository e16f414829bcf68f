-- The upper end of the 95 % interval of a change from one value to another of other filings; see `change_low`.
create macro macros.change_high(value, low, other_value, other_high) as
    other_value - value + sqrt((other_high - other_value) ** 2 + (value - low) ** 2)
