-- The first number that a text states in digits, without its commas; '' where it has none.
create macro faith.first_digits(stated) as
    replace(regexp_extract(stated, '[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+'), ',', '')
