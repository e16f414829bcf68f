"""Results of a scored lake: report, explain, compare, publish, audit.

`estimate` predicts a run's cost before it starts.
"""
