-- One row per label that a judge of FAITH may give: whether an answer holds that gets it.
with faith as (

    select
        'faith' as suite,
        label,
        holds
    from (values ('correct', true), ('wrong', false)) as labels (label, holds)

)

select * from faith
