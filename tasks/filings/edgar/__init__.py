"""EDGAR: choose filings from its indexes and download them.

Others use `query` (what is asked, and how EDGAR is reached), `acquire`, `manifest` and `index`.
"""
