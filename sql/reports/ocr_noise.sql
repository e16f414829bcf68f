-- One row per release and suite: how much the simulated scanner changed the contexts.
with scanned as (

    select
        release,
        suite,
        n_tokens,
        details::json as details
    from raw.contexts
    where kind = 'ocr'

),

ocr_noise as (

    select
        release,
        suite,
        count(*) as n_contexts,
        sum((details ->> 'n_chars')::bigint) as n_chars,
        sum((details ->> 'deletions')::bigint) as n_deletions,
        sum((details ->> 'replacements')::bigint) as n_replacements,
        sum((details ->> 'insertions')::bigint) as n_insertions,
        (n_deletions + n_replacements + n_insertions) / nullif(n_chars, 0) as error_rate,
        min((details ->> 'error_rate')::double) as min_error_rate,
        max((details ->> 'error_rate')::double) as max_error_rate,
        avg((details ->> 'token_growth')::double) as mean_token_growth
    from scanned
    group by all

)

select * from ocr_noise
order by release, suite
