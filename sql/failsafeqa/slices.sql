-- One row per set of traits by which FailSafeQA's units are sliced together, or models compared.
with slices as (

    select
        'failsafeqa' as suite,
        traits,
        is_compared
    from (values (['variant'], true), (['task'], true), (['variant', 'task'], false)) as sets (traits, is_compared)

)

select * from slices
