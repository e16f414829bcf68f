"""The results of a release: metrics, comparisons and agreements, from what SQL counted.

`score` writes them; everything else reads the tables.
"""
