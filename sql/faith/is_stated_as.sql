-- Whether a value, without its sign, is the number of a text at the precision to which that states it; null where it has none.
--
-- `around` is the text with what follows it, where its scale may stand outside: `442.4` and `442.4 million`. Halves are
-- rounded up; what a double cannot tell from a half (1e-9 of the last digit) is one.
create macro faith.is_stated_as(quantity, stated, around) as
    list_transform(
        -- each once, for what is written twice is planned twice
        [
            {
                quantity: abs(quantity),
                number: faith.stated_number(stated),
                decimals: faith.stated_decimals(stated),
                power: faith.power_of_ten(around)
            }
        ],
        lambda each:
        floor(each.quantity * pow(10, each.decimals - each.power) + 0.5 + 1e-9)
        = round(each.number * pow(10, each.decimals))
    )[1]
