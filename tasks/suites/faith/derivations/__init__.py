"""Derivations: a figure of a sentence as an expression over the cells of tables."""
