"""From articles to records: queries, haystacks with their cases, and single-article cases.

Others use the three steps: `queries.STEP`, `haystacks.STEP` and `single.STEP`.
"""
