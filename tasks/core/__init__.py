"""Row types, ids, errors, fingerprints, validation, and a run's budget, stop signal and progress.

Every room may import this one; it imports no other room.
"""
