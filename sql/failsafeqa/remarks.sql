-- One row per release with filings that no question is asked of: a sentence, and the query that lists its rows.
select * exclude (place) from macros.filings_without_questions('failsafeqa')
order by release
