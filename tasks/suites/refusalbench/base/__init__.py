"""Base questions: found in filings, read of another suite or of a file; the panel; the base set.

A base question is answerable, has one short answer, and comes with its passages: one (single) or
ten (multi). `questions.STEP` finds them all, `base_set.STEP` chooses those that are perturbed.
"""
