-- One row per release and verb of the queries: how many queries have it, and its most frequent objects, each with its number.
with query_verbs as (

    select * from reports.query_verbs
    where suite = 'failsafeqa'

),

verbs as (

    select
        release,
        verb,
        n_verb as n,
        string_agg(object || ' ' || query_verbs.n, ', ' order by query_verbs.n desc, object) as objects
    from query_verbs
    group by release, verb, n_verb

)

select * from verbs
order by release, n desc, verb
