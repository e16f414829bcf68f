-- Whether a text's first number is followed by a half: `two and a half`.
create macro faith.has_half(stated) as
    regexp_matches(lower(stated), faith.number_pattern() || '\sand\s(?:a|one)[\s-]half\b')
