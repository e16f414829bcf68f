-- Whether a text's first number is followed by a half: `two and a half`.
create macro macros.has_half(stated) as
    regexp_matches(
        lower(stated), '^(?:[^0-9a-z]*[a-z]+(?:-[a-z]+)?|[^0-9]*[0-9][0-9,]*(?:\.[0-9]+)?)\sand\s(?:a|one)[\s-]half\b'
    )
