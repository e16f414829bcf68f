-- The first number of a text, in digits or in words, as it is written: 2.5 of `two and a half million`; null where it has none.
create macro macros.stated_number(stated) as
    (
        if(
            macros.first_digits(stated) = '',
            macros.number_in_words(stated),
            try_cast(macros.first_digits(stated) as double) + macros.stated_fraction(stated)
        )
        + if(macros.has_half(stated), 0.5, 0)
    )
    * if(macros.has_hundred(stated), 100, 1)
