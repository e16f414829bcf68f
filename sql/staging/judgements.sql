-- One row per judgement that counts: the first of its judge on its answer, or on its two answers.
--
-- What a judge says when it is asked again (`repeat` above 0) is compared with it in `staging.verdict_pairs`.
select * from raw.judgements
where repeat = 0
