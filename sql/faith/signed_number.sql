-- The number that a table's cell states, negative after a bracket or a minus; null where it has none.
--
-- `before` is the cell before it: a sign may stand there, alone or with the currency, as in `$(` and `824`. A bracket that
-- opens after the number is a note's: `824 (1)`.
create macro faith.signed_number(cell, before) as
    try_cast(faith.first_digits(cell) as double)
    * if(
        regexp_matches(cell, '^\s*(?:(?i:down)\b|[^0-9.]*[-−–(])')
        or regexp_matches(coalesce(before, ''), '^\s*(?:[A-Z]{0,2}[$€£¥])?\s*\(\s*$'),
        -1,
        1
    )
