-- What tells one answer of a key from another: all that was measured of it.
create macro macros.answer_hash(status, attempts, n_prompt, n_cached, n_output, latency_ms, cost_usd) as
hash(status, attempts, n_prompt, n_cached, n_output, latency_ms, cost_usd);
