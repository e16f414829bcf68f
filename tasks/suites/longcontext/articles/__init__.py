"""Articles, read from a file or invented, and the names of their companies."""
