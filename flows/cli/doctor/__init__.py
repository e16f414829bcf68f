"""The checks of `tenkbench doctor`, one subject a file; each tells what it found and what mends it.

No check imports Prefect, prints, or takes longer than the time limits in `flows.cli.doctor.doctor` allow.
"""
