"""Human audits of a judge.

`drawing` and `sheet` draw answers for people to rate, `ratings` imports their ratings. Ratings
depend on no step of a run, and no step removes them.
"""
