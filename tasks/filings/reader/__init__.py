"""EDGAR filings: bytes in; paragraphs, Items and tables out. Knows nothing of the pipeline."""
