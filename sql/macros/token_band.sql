-- The band that a context's length in tokens lies in.
create macro macros.token_band(n_tokens) as
    case
        when n_tokens < 8000 then 'below 8k'
        when n_tokens < 16000 then '8k to 16k'
        when n_tokens < 24000 then '16k to 24k'
        when n_tokens >= 24000 then '24k and more'
    end
