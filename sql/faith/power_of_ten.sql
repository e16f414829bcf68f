-- The power of ten that the word or sign after a text's first number multiplies it by: 6 of `$1.2 million`; 0 where there is none.
--
-- Cents are hundredths: -2; hundreds are part of the number. The words are the magnitudes of `tasks/quantities/units.toml`.
create macro faith.power_of_ten(stated) as
    coalesce(
        map {
            'thousand': 3, 'k': 3, 'million': 6, 'm': 6, 'mm': 6, 'mn': 6, 'mio': 6, 'mil': 6, 'mln': 6,
            'billion': 9, 'b': 9, 'bn': 9, 'bln': 9, 'bil': 9, 'trillion': 12, 't': 12, 'tn': 12, 'trn': 12
        }[
            regexp_extract(
                lower(stated),
                faith.number_pattern()
                || '(?:\sand\s(?:a|one)[\s-]half)?(?:\s?\))?(?:[\s-]hundreds?\b)?[ \x{A0}-]?'
                || '(thousand|million|billion|trillion|k|mm|mn|mio|mil|mln|m|bn|bln|bil|b|trn|tn|t)s?(?:[^a-z]|$)',
                1
            )
        ],
        0
    )
    - if(
        regexp_matches(lower(stated), '^(?:[^0-9a-z]*[a-z]+(?:-[a-z]+)?[ -]|[^a-z]*[0-9]\s?)(?:¢|cents?\b)'), 2, 0
    )
