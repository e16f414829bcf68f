"""Checks of `tenkbench doctor`, one subject per file.

No check imports Prefect or prints.
"""
