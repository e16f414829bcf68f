-- Whether a text is a scenario's letter, alone or before a colon or the like, or its name, with or without the letter.
--
-- A letter before a blank and a word is none: 'A comparison' has an article, and 'B or C' says two.
create macro faith.names_scenario(said, letter, name) as
    regexp_full_match(
        said,
        '(?is)\W*(scenario:?\s+)?(' || letter || '(\W*|\s*[).:]\s.*|\s+[–—-]\s.*)|(' || letter || '\W+)?' || name || '\b.*)'
    )
