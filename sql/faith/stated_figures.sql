-- One row per masked figure and text that states it: the first number of the text, and the scale behind it.
--
-- number    in digits or in words, as it is written: 2.5 of `two and a half million`; null where there is none
-- decimals  the digits after its point: those of `5.25` and of `5 1/4` are two
-- power     the power of ten that the word or sign behind it multiplies it by: 6 of `$1.2 million`, -2 of `5¢`; hundreds
--           are part of the number. The words are those of `tasks/quantities/units.toml`
--
-- A published figure is stated twice, in its sentence and as the truth. The scale of either may follow the mask, and
-- the truth may state a percentage as a bare ratio.
with texts as (

    select
        release,
        suite,
        span_id,
        masked_text,
        unnest(
            [{stated: masked_text, following: '', shift: 0}]
            || if(
                uid is null,
                [],
                [
                    {stated: masked_text, following: substring(sentence, end_char + 1), shift: 0},
                    {stated: truth, following: '', shift: 0},
                    {stated: truth, following: substring(sentence, end_char + 1), shift: 0},
                    {stated: truth, following: '', shift: 2}
                ]
            ),
            recursive := true
        )
    from raw.masked_spans

),

-- up to three letters may stand before digits: `RMB5`, `US$5`
numbers as (

    select
        * exclude (stated),
        unnest(
            regexp_extract(
                lower(stated),
                '(?s)^(.*?)(?:(?:[a-z]{1,3}[^0-9a-z]*?)?([0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)'
                || '(?:[ -]?([½¼¾⅛⅜⅝⅞])|[ -]([0-9]{1,2})/([0-9]{1,2})\b)?'
                || '|(\b(?:(?:one|two|three|four|five|six|seven|eight|nine)[\s-]hundred[\s-](?:and[\s-])?)?'
                || '(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)'
                || '(?:-(?:one|two|three|four|five|six|seven|eight|nine)\b)?'
                || '|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen'
                || '|one|two|three|four|five|six|seven|eight|nine|zero|nil)\b))(.*)$',
                ['before', 'digits', 'sign', 'part', 'parts', 'words', 'behind']
            )
        )
    from texts

),

scales as (

    select
        *,
        coalesce(
            map {'½': 0.5, '¼': 0.25, '¾': 0.75, '⅛': 0.125, '⅜': 0.375, '⅝': 0.625, '⅞': 0.875}[sign]::double,
            try_cast(part as double) / try_cast(parts as double),
            0
        ) as fraction,
        unnest(
            regexp_extract(
                if(regexp_full_match(before, '[^0-9a-z]*'), behind || lower(following), ''),
                '^(\sand\s(?:a|one)[\s-]half\b)?(?:\s?\))?([\s-]hundreds?\b)?[\s\x{A0}-]?'
                || '(?:(thousand|million|billion|trillion|k|mm|mn|mio|mil|mln|m|bn|bln|bil|b|trn|tn|t|cent|¢)s?(?:[^a-z]|$))?',
                ['half', 'hundred', 'scale']
            )
        )
    from numbers

),

stated_figures as (

    select
        release,
        suite,
        span_id,
        masked_text,
        (
            coalesce(
                try_cast(replace(digits, ',', '') as double) + fraction,
                list_sum(
                    list_transform(
                        -- the word before `hundred` becomes one with it; `and` is no number
                        string_split_regex(regexp_replace(words, '[\s-]hundred', '00'), '[\s-]'),
                        lambda word: map {
                            'zero': 0, 'nil': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
                            'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13, 'fourteen': 14,
                            'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18, 'nineteen': 19, 'twenty': 20,
                            'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70, 'eighty': 80, 'ninety': 90
                        }[rtrim(word, '0')]
                        * if(ends_with(word, '00'), 100, 1)
                    )
                )
            )
            + if(half = '', 0, 0.5)
        ) * if(hundred = '', 1, 100) as number,
        greatest(
            greatest(
                length(regexp_extract(digits, '\.(.*)', 1)),
                length(regexp_extract(fraction::varchar, '\.(.*[1-9])', 1)),
                if(half = '', 0, 1)
            ) - if(hundred = '', 0, 2),
            0
        ) as decimals,
        shift + coalesce(
            map {
                'thousand': 3, 'k': 3, 'million': 6, 'm': 6, 'mm': 6, 'mn': 6, 'mio': 6, 'mil': 6, 'mln': 6,
                'billion': 9, 'b': 9, 'bn': 9, 'bln': 9, 'bil': 9, 'trillion': 12, 't': 12, 'tn': 12, 'trn': 12,
                'cent': -2, '¢': -2
            }[scale],
            0
        ) as power
    from scales

)

select * from stated_figures
