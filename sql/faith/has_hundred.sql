-- Whether a text's first number counts hundreds: `five hundred thousand`; with what is added to it, a hundred is a number in words.
create macro faith.has_hundred(stated) as
    regexp_matches(
        lower(stated), faith.number_pattern() || '(?:\sand\s(?:a|one)[\s-]half)?(?:\s?\))?[\s-]hundreds?\b'
    )
    and not contains(regexp_extract(lower(stated), faith.words_pattern()), 'hundred')
