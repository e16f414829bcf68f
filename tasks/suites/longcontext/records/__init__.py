"""From articles to records: queries, haystacks with their cases, and single-article cases.

Others use `STEPS`, in order.
"""

from tasks.suites.longcontext.records import haystacks, queries, single

STEPS = (queries.STEP, haystacks.STEP, single.STEP)

__all__ = ["STEPS"]
