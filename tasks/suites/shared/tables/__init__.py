"""Tables as models are shown them, their cells as numbers, and arithmetic on these."""
