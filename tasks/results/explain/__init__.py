"""Tracing a score to its answers and filings; contrasting two models."""
