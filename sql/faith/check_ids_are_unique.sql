-- One row per id that two masked figures, derivations or votes share within a release.
with ids as (

    select 'masked_spans' as table_name, release, suite, span_id as id from raw.masked_spans
    union all
    select 'derivations', release, suite, derivation_id from raw.derivations
    union all
    select 'votes', release, suite, vote_id from raw.votes

)

select *, count(*) as n from ids
group by all
having n > 1
