-- One row per judgement of FAITH whose label is none of correct, wrong and unreadable.
select
    release,
    suite,
    judgement_id,
    label
from raw.judgements
where suite = 'faith' and label not in ('correct', 'wrong', 'unreadable')
