-- The digits after the point of a text's first number: those of `5.25` and of `5 1/4` are two.
create macro macros.stated_decimals(stated) as
    greatest(
        greatest(
            length(regexp_extract(macros.first_digits(stated), '\.([0-9]+)', 1)),
            length(regexp_extract(macros.stated_fraction(stated)::varchar, '\.([0-9]*[1-9])', 1)),
            if(macros.has_half(stated), 1, 0)
        )
        - if(macros.has_hundred(stated), 2, 0),
        0
    )
