"""Releases beside each other: what two of them hold, how they were made, and how their scores changed."""
