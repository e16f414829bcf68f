-- One row per set of traits by which models are compared in FAITH, besides the whole.
--
-- Of figures of our own filings a mask type says what the scenario says.
select 'faith' as suite, * from (values (['scenario'], true), (['unit'], true)) as sets (traits, is_compared)
