"""Releases as a data set that others can open: Parquet in the Hugging Face layout, and the card that says what it is."""
