"""A run's steps: their plan, their identities, what is finished, and the checks before a start."""
