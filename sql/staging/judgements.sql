-- One row per judgement that counts: the first of its judge on its answer, or on its two answers.
--
-- What a judge says when it is asked again (`repeat` above 0) is compared with it in `staging.verdict_pairs`.
with judgements as (

    select * from raw.judgements
    where repeat = 0

)

select * from judgements
