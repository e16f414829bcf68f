"""Long context: needles among financial news, from 4K to 128K tokens."""
