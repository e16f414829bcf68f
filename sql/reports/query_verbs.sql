-- One row per release, suite, verb and direct object of the queries: the 20 most frequent verbs, 5 objects each.
with qa_pairs as (

    select
        release,
        suite,
        query_verb,
        query_object,
        verb_method
    from raw.qa_pairs
    where query_verb is not null

),

verbs as (

    select
        release,
        suite,
        query_verb,
        count(*) as n_verb,
        row_number() over (
            partition by release, suite
            order by count(*) desc, query_verb
        ) as verb_rank
    from qa_pairs
    group by release, suite, query_verb

),

objects as (

    select
        release,
        suite,
        query_verb,
        query_object,
        verb_method,
        count(*) as n,
        row_number() over (
            partition by release, suite, query_verb
            order by count(*) desc, query_object nulls last, verb_method
        ) as object_rank
    from qa_pairs
    group by release, suite, query_verb, query_object, verb_method

),

query_verbs as (

    select
        objects.release,
        objects.suite,
        verbs.verb_rank,
        objects.query_verb as verb,
        verbs.n_verb,
        objects.query_object as object,
        objects.n,
        objects.verb_method as method
    from objects
    inner join verbs using (release, suite, query_verb)
    where verbs.verb_rank <= 20 and objects.object_rank <= 5

)

select * from query_verbs
order by release, suite, verb_rank, n desc, object nulls last, method
