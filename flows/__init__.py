"""The flows: sequence only."""
