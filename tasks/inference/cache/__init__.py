"""Cache of model responses: no call is paid twice. Use `response_cache`."""
