"""Proofs of masked figures: cells of the tables that give them, and that the passage names."""
