-- One row per unit of any suite: what it counts, the group of filings that it is drawn with, and what it is sliced by.
select
    units.suite,
    units.release,
    units.model,
    units.other_model,
    units.judge,
    units.metric,
    units.case_id as unit_id,
    subjects.pair_number,
    subjects.group_number,
    subjects.donor_group_number,
    subjects.variant,
    subjects.task,
    subjects.is_answerable,
    subjects.traits,
    units.numerator,
    units.denominator,
    subjects.case_ids
from suites.units as units
inner join staging.subjects as subjects
    on units.release = subjects.release
    and units.suite = subjects.suite
    and units.case_id = subjects.subject_id
