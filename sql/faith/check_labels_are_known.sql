-- One row per judgement of FAITH whose label is neither correct nor wrong.
select
    release,
    suite,
    judgement_id,
    label
from raw.judgements
where suite = 'faith' and label not in ('correct', 'wrong')
