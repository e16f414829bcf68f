-- One row per release: the length in tokens of the citations that a judge reads, and of their contexts.
--
-- Once per pair, as in paper 000 ("Citation Sanitization"): 1,300 of 24,600 tokens. Pairs of lakes that did not count
-- them are left out.
with pairs as (

    select
        qa_pairs.release,
        qa_pairs.traits['citation_tokens']::bigint as n_citation_tokens,
        contexts.n_tokens
    from raw.qa_pairs as qa_pairs
    left join raw.contexts as contexts using (release, suite, context_id)
    where qa_pairs.suite = 'failsafeqa' and qa_pairs.traits['citation_tokens'] is not null

),

citation_tokens as (

    select
        release,
        count(*) as n_pairs,
        avg(n_citation_tokens) as mean_citation_tokens,
        median(n_citation_tokens) as median_citation_tokens,
        max(n_citation_tokens) as max_citation_tokens,
        avg(n_tokens) as mean_context_tokens
    from pairs
    group by all

)

select * from citation_tokens
order by release
