-- An interval as people read it: `0.31 to 0.44`; null where there is none.
create macro macros.interval(low, high) as printf('%.2f to %.2f', low, high)
