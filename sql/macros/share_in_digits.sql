-- A share in digits: two decimals, or as many as it takes to tell one below 1 from 1, and one above 0 from 0.
--
-- The rule of `tasks.text.shares`, for text that SQL writes.
create macro macros.share_in_digits(value) as
    if(
        value in (0, 1),
        printf('%.2f', value),
        coalesce(
            list_filter(
                [printf('%.2f', value), printf('%.3f', value), printf('%.4f', value), printf('%.5f', value)],
                lambda digits: digits::double not in (0, 1)
            )[1],
            printf('%.6f', value)
        )
    )
