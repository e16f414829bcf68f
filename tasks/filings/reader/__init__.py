"""Parse filings: bytes in; paragraphs, Items and tables out.

Others use `reading.read_filing`, `files` and `submission`. Nothing here knows of the pipeline.
"""
