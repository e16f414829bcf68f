-- Whether a value, without its sign, is the number of a text at the precision to which that states it; null where it has none.
--
-- `around` is the text with what follows it, where its scale may stand outside: `442.4` and `442.4 million`. Halves are
-- rounded up; what a double cannot tell from a half (1e-9 of the last digit) is one.
create macro macros.is_stated_as(quantity, stated, around) as
    floor(abs(quantity) * pow(10, macros.stated_decimals(stated) - macros.power_of_ten(around)) + 0.5 + 1e-9)
    = round(macros.stated_number(stated) * pow(10, macros.stated_decimals(stated)))
