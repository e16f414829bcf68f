-- The fraction behind a text's first number: 0.5 of `5 1/2%` and `5½%`; 0 where it has none.
create macro faith.stated_fraction(stated) as
    list_transform(
        [
            regexp_extract(
                stated, '^[^0-9]*[0-9]{1,3}(?:[ -]?([½¼¾⅛⅜⅝⅞])|[ -]([0-9]{1,2}/[0-9]{1,2})\b)', ['sign', 'parts']
            )
        ],
        lambda found: coalesce(
            map {'½': 0.5, '¼': 0.25, '¾': 0.75, '⅛': 0.125, '⅜': 0.375, '⅝': 0.625, '⅞': 0.875}[found.sign]::double,
            try_cast(split_part(found.parts, '/', 1) as double)
            / try_cast(nullif(split_part(found.parts, '/', 2), '') as double),
            0
        )
    )[1]
