-- An interval as people read it: `0.31 to 0.44`; null where there is none.
create macro macros.interval(low, high) as
    macros.share_in_digits(low) || ' to ' || macros.share_in_digits(high)
