-- One row per masked figure whose truth, unit or mask type is not what its text or its first derivation says.
--
-- A figure of our own filings is its own truth, and its mask type is its derivation's; a published one has both as the
-- file states them. Its unit may stand around its mask, or in the stated truth.
with signs as (

    select
        *,
        uid is null as is_ours,
        -- the figure with what stands around it, where a currency may be named: `47 million U.S. dollars`
        concat_ws(
            ' ', if(uid is null, null, truth), sentence[greatest(start_char - 4, 1):end_char + 30]
        ) as stated,
        regexp_matches(masked_text, '(?i)(?:^|[^a-z])bps?\b|basis[^a-z]points?') as has_basis_points,
        regexp_matches(masked_text, '(?i)%|per[^a-z]?cent|pct') as has_percent,
        regexp_matches(masked_text, '\p{Sc}') as has_currency,
        regexp_matches(stated, '(?i)%|per[^a-z]?cent|pct|points?|pp|pts|bps?\b') as is_stated_as_ratio,
        regexp_matches(
            stated,
            '\p{Sc}|(?:^|[^A-Za-z])(?:[A-Z]{3}|Rs)(?:[^A-Za-z]|$)'
            || '|(?i:dollar|\bcents?\b|euro|sterling|pound|yen|franc|yuan|renminbi|rupee|shekel|\bwon\b|kron|peso|reais|real)'
        ) as is_stated_as_money
    from raw.masked_spans

),

described as (

    select
        signs.release,
        signs.suite,
        signs.span_id,
        signs.masked_text,
        signs.truth,
        signs.unit,
        signs.mask_type,
        proofs.scenario,
        case
            when is_ours and truth != masked_text then 'its truth is not the figure as written'
            when is_ours and (unit = 'bps') != has_basis_points then 'basis points, or not, unlike its text'
            when is_ours and has_percent and unit != 'percent' then 'no percentage, unlike its text'
            when is_ours and has_currency and unit not in ('money', 'per_share') then 'no money, unlike its text'
            when unit in ('percent', 'bps') and not is_stated_as_ratio then 'a ratio, unlike its text'
            when unit in ('money', 'per_share') and not is_stated_as_money then 'money, unlike its text'
            when
                is_ours
                and mask_type is distinct from map {
                    'direct lookup': 'A', 'comparative': 'B', 'bivariate': 'C', 'multivariate': 'D'
                }[proofs.scenario]
                then 'its mask type is not its first derivation''s'
        end as what_is_wrong
    from signs
    left join faith.proofs as proofs using (release, suite, span_id)

)

select * from described
where what_is_wrong is not null
