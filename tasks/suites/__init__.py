"""Suites: one value per benchmark that names its parts, prompts and metrics."""
