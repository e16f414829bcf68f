"""Output of the commands, one view per file."""
