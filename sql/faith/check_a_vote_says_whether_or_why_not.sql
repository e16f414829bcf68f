-- One row per vote of a panel that says neither whether a figure can be restored nor why it says nothing, or both.
select
    release,
    suite,
    vote_id
from raw.votes
where (is_answerable is null) = (unread_reason is null)
