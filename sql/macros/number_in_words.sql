-- The first number below a hundred that a text states in words, `twenty-five`; null where it has none.
create macro macros.number_in_words(stated) as
    list_sum(
        list_transform(
            nullif(
                string_split(
                    regexp_extract(
                        lower(stated),
                        '\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)'
                        || '(?:-(?:one|two|three|four|five|six|seven|eight|nine)\b)?'
                        || '|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen'
                        || '|one|two|three|four|five|six|seven|eight|nine|zero|nil)\b'
                    ),
                    '-'
                ),
                ['']
            ),
            lambda word: map {
                'zero': 0, 'nil': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
                'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13, 'fourteen': 14,
                'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18, 'nineteen': 19, 'twenty': 20,
                'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70, 'eighty': 80, 'ninety': 90
            }[word]
        )
    )
