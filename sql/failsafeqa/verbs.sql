-- One row per release and verb of the queries, the 20 most frequent: how many queries have it, and its 5 most frequent objects, each with its number.
with objects as (

    select
        release,
        query_verb as verb,
        query_object as object,
        count(*) as n
    from raw.qa_pairs
    where suite = 'failsafeqa' and query_verb is not null
    group by all

),

verbs as (

    select
        release,
        verb,
        sum(n)::bigint as n,
        array_to_string(
            (list(object || ' ' || n order by n desc, object) filter (where object is not null))[:5], ', '
        ) as objects
    from objects
    group by release, verb
    qualify row_number() over (partition by release order by sum(n) desc, verb) <= 20

)

select * from verbs
order by release, n desc, verb
