-- One row per drawn answer and auditor who rated it.
--
-- A rating is about the answer that the auditor read: where the release has another answer to that request by now, it
-- says nothing about it, and is left out here (the rating itself stays in `raw.audits`). `n_stratum` is how many answers
-- the stratum had that it was drawn from.
select
    audits.release,
    audits.suite,
    audits.audit_item_id,
    audits.auditor,
    audit_items.request_id,
    audits.rating,
    audit_items.draw_id,
    audit_items.stratum,
    audit_items.n_stratum
from raw.audits as audits
inner join raw.audit_items as audit_items using (release, suite, audit_item_id)
inner join raw.responses as responses
    on audit_items.release = responses.release
    and audit_items.suite = responses.suite
    and audit_items.request_id = responses.request_id
    and audit_items.answer_sha256 = sha256(responses.text)
