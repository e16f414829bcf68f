"""The one road to a model: `operation` says what is asked, `client` asks it, through `cache` and `engines`."""
