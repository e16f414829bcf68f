-- What a judge said of one answer, in words.
create macro macros.verdict(rating, label, score) as coalesce('rated ' || rating, label, 'score ' || printf('%.2f', score))
