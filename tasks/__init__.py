"""The tasks: verbs, and the rooms of parts that they call."""
