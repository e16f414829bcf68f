-- One row per verdict that a judge of FAITH may give: whether an answer holds that gets it.
with faith as (

    select
        'faith' as suite,
        verdict,
        holds
    from (values ('correct', true), ('wrong', false)) as verdicts (verdict, holds)

)

select * from faith
