-- An interval as people round it: `0.31 to 1.00`; null where there is none.
create macro macros.interval(low, high) as printf('%.2f', low) || ' to ' || printf('%.2f', high)
