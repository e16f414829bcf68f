-- One row per release and published figure of FAITH whose stated truth is not its own sentence's, or is contradicted by a derivation.
--
-- The columns are those of `staging.faith_labels`.
with faith_labels as (

    select * exclude (is_proved) from staging.faith_labels
    where differs_by is not null or official != 'correct' or tables_agree_with = 'sentence'

)

select * from faith_labels
order by release, differs_by nulls last, uid
