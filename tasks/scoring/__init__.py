"""The results of a release: metrics, comparisons and agreements, from what SQL counted.

`score` writes them; everything else reads the tables.
"""

# Relations that the stored results are computed from. If their SQL changes, a release is scored
# again.
COUNTED = (
    "staging.sums",
    "staging.cell_units",
    "macros.compared_units",
    "staging.rating_tables",
    "staging.self_preferences",
)
