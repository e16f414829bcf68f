-- One row per masked figure that cells of the tables give: the first of its derivations.
select * from raw.derivations
where place = 0
