"""Answers: the operations with which a model under test answers a case."""
