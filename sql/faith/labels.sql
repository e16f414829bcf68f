-- One row per release and published figure of FAITH whose stated truth is not its own sentence's, or is contradicted by a derivation.
--
-- The columns are those of `faith.published_figures`.
select * exclude (is_proved) from faith.published_figures
where differs_by is not null or official != 'correct' or tables_agree_with = 'sentence'
order by release, differs_by nulls last, uid
