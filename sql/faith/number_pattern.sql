-- A regular expression of a figure's beginning in small letters up to its first number, in digits, with a fraction, or in words below a thousand.
create macro faith.number_pattern() as
    '^[^0-9a-z]*(?:(?:[a-z]{1,3}[^0-9a-z]*)?[0-9][0-9,]*(?:\.[0-9]+)?(?:[ -]?[½¼¾⅛⅜⅝⅞]|[ -][0-9]{1,2}/[0-9]{1,2}\b)?|'
    || faith.words_pattern() || ')'
