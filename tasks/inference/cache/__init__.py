"""The response cache: a call that was paid for is kept, and never sent again; others use `response_cache`."""
