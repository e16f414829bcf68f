-- One row per masked figure of our own filings whose truth or mask type is not what its text or its first derivation says.
select
    spans.release,
    spans.suite,
    spans.span_id,
    spans.masked_text,
    spans.truth,
    spans.mask_type,
    proofs.scenario
from raw.masked_spans as spans
left join faith.proofs as proofs using (release, suite, span_id)
where
    spans.uid is null
    and (
        spans.truth != spans.masked_text
        or spans.mask_type is distinct from map {
            'direct lookup': 'A', 'comparative': 'B', 'bivariate': 'C', 'multivariate': 'D'
        }[proofs.scenario]
    )
