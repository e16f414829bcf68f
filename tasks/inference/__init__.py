"""Ask models: `operation` says what, `client` does it, through `cache` and `engines`."""
