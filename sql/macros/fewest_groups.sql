-- The fewest filings of which a value, a difference of models or a change between releases is given an interval; of fewer
-- there is none, in whatever slice.
create macro macros.fewest_groups() as 4
