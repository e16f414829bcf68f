"""The lake: Parquet parts, commits and releases (`lake`), on objects of a folder or S3 (`objects`)."""
