"""What every room may use: row types, ids, errors, fingerprints, settings, and what a run carries (budget, stop, progress).

Imports nothing of ours.
"""
