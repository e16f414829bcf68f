"""Images in prompts: HTML drawn by a Chromium as PNG pages, stored once by content."""
