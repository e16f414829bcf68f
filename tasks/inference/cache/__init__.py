"""Cache of model responses, so that no call is paid for twice; others use `response_cache`."""
