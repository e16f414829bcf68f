"""Comparison of two releases: rows, origins and scores."""
