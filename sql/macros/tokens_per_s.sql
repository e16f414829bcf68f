-- Output tokens a second of streamed replies after their first token: an aggregate; null if none was streamed.
create macro macros.tokens_per_s(n_output, latency_ms, first_token_ms) as
1000 * sum(n_output - 1) filter (where latency_ms > first_token_ms)
/ nullif(sum(latency_ms - first_token_ms) filter (where n_output is not null), 0);
