"""Checks of `tenkbench doctor`, one subject per file.

No check imports Prefect, prints, or exceeds the time limits in `flows.cli.doctor.doctor`.
"""
