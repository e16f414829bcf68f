-- One row per unit of a suite that is of no case or pair of its release, or whose numerator and denominator do not go together.
--
-- An unscored unit has no denominator. Its numerator is null, or 0 if it could not have passed.
select units.*
from suites.units as units
left join staging.subjects as subjects
    on units.release = subjects.release
    and units.suite = subjects.suite
    and units.case_id = subjects.subject_id
where
    subjects.subject_id is null
    or if(units.denominator is null, units.numerator != 0, units.numerator is null)
    or units.denominator < 0
