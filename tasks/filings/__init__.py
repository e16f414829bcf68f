"""SEC filings: `edgar` finds and downloads them, `reader` reads them, `samples` are our own."""
