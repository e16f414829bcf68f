-- A text without blanks around it, and with one blank for those inside it, line breaks and every blank of Unicode's among them.
create macro faith.on_one_line(text) as
    trim(
        regexp_replace(
            text,
            '[\x{9}-\x{D}\x{1C}-\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]+',
            ' ',
            'g'
        )
    )
