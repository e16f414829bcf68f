"""Human audits of a judge, and of questions.

`drawing` and `sheet` draw answers for people to rate, `ratings` imports their ratings. `questions`
has people answer questions themselves, and then say whether ours agree. What people write depends
on no step of a run, and no step removes it.
"""
