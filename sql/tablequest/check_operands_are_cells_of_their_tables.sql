-- One row per cell that a draft of a question reads and that is not the filing's.
select
    release,
    suite,
    draft_id,
    place,
    text,
    shown
from tablequest.draft_operands
where is_of_filing and shown is distinct from text
