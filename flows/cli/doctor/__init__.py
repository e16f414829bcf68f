"""Checks of `tenkbench doctor`, one subject per file.

No check imports Prefect or prints, and none waits for a server without a limit.
"""
