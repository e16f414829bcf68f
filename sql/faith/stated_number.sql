-- The first number of a text, in digits or in words, as it is written: 2.5 of `two and a half million`; null where it has none.
create macro faith.stated_number(stated) as
    (
        if(
            faith.first_digits(stated) = '',
            faith.number_in_words(stated),
            try_cast(faith.first_digits(stated) as double) + faith.stated_fraction(stated)
        )
        + if(faith.has_half(stated), 0.5, 0)
    )
    * if(faith.has_hundred(stated), 100, 1)
