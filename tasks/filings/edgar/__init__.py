"""EDGAR: which filings there are, which of them are asked for, and their download; others use `acquire`, `query`, `index`."""
