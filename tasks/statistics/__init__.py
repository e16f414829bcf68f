"""Inference on sums that SQL has counted: intervals, paired tests, agreement, ratings.

Arrays in, arrays out: nothing here reads a lake. Quantiles and tails are SciPy's.
"""
