"""The lake: Parquet parts, commits and releases in a folder or S3."""
