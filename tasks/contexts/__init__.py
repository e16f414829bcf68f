"""Contexts: documents in, the texts that a model may be shown, out."""
