"""Numbers as people write them: figures, units, scales, and tables in text.

Others use `figures.find_figures`, `governing.governing`, `scales.scale_in` and
`text_tables.find_tables`.
"""
