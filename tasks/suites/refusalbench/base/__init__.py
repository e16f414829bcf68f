"""Base questions: of facts, another suite or a file; their passages; the base set."""
