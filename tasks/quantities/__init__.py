"""Numbers as people write them: figures, units and scales, and tables that stand in text."""
