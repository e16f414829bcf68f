-- A sentence whose characters from start to end (from 0, the end exclusive) are hidden.
create macro faith.hidden_in(sentence, start_char, end_char) as
    left(sentence, start_char) || '[MASK]' || substring(sentence, end_char + 1)
