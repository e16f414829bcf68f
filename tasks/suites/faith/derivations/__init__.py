"""Derivations: figures of sentences as expressions over table cells."""
