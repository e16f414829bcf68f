-- The first number below a thousand that a text states in words, `two hundred and twenty-five`; null where it has none.
create macro faith.number_in_words(stated) as
    list_sum(
        list_transform(
            -- the word before `hundred` becomes one with it: what is left over is no number
            nullif(
                string_split_regex(
                    replace(
                        replace(regexp_extract(lower(stated), faith.words_pattern()), ' hundred', '00'), '-hundred', '00'
                    ),
                    '[\s-]'
                ),
                ['']
            ),
            lambda word: map {
                'zero': 0, 'nil': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
                'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13, 'fourteen': 14,
                'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18, 'nineteen': 19, 'twenty': 20,
                'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70, 'eighty': 80, 'ninety': 90
            }[rtrim(word, '0')]
            * if(ends_with(word, '00'), 100, 1)
        )
    )
