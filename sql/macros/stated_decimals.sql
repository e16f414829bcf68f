-- The digits after the point of a text's first number.
create macro macros.stated_decimals(stated) as
    greatest(
        length(regexp_extract(macros.first_digits(stated), '\.([0-9]+)', 1)),
        if(macros.has_half(stated), 1, 0)
    )
