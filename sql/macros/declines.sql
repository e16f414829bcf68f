-- Whether a reply declines in words: it begins with an excuse, or says that it cannot answer or that the text lacks it.
create macro macros.declines(reply) as
    regexp_matches(
        replace(reply, '’', ''''),
        '^\W*(unfortunately,? )?(i''?a?m sorry|sorry|i (cannot|can''t|do not|don''t|am unable|am not able|''m unable)'
        || '|(the|this) (\w+ )?(context|document|passage|text)s? (does not|do not|doesn''t|don''t|lacks?))\b',
        'i'
    )
