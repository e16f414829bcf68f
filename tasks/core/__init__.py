"""Row types, ids, errors, fingerprints, validation, and a run's budget, stop signal and progress.

Every package may import this one; it imports none of ours.
"""
