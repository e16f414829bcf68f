"""SEC filings: `edgar` downloads them, `reader` parses them, `samples` are our own.

Others use `edgar.query`, `edgar.acquire`, `edgar.manifest` and `reader.reading`.
"""
