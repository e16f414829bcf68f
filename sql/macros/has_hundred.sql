-- Whether a text's first number counts hundreds: `five hundred thousand`; with what is added to it, a hundred is a number in words.
create macro macros.has_hundred(stated) as
    regexp_matches(
        lower(stated), macros.number_pattern() || '(?:\sand\s(?:a|one)[\s-]half)?(?:\s?\))?[\s-]hundreds?\b'
    )
    and not contains(regexp_extract(lower(stated), macros.words_pattern()), 'hundred')
