"""Judges of FailSafeQA: a verdict on compliance, and the attacks that put a judge on trial."""
