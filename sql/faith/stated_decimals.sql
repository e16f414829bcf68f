-- The digits after the point of a text's first number: those of `5.25` and of `5 1/4` are two.
create macro faith.stated_decimals(stated) as
    greatest(
        greatest(
            length(regexp_extract(faith.first_digits(stated), '\.([0-9]+)', 1)),
            length(regexp_extract(faith.stated_fraction(stated)::varchar, '\.([0-9]*[1-9])', 1)),
            if(faith.has_half(stated), 1, 0)
        )
        - if(faith.has_hundred(stated), 2, 0),
        0
    )
