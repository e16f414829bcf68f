-- One row per question of FailSafeQA for people (`tenkbench audit questions`): pairs, rewritten queries and borrowed ones.
--
-- A pair (`qa`, `tg`) and a borrowed query (`irrelevant_context`) are answered from the document alone, so nothing shows
-- which is which. Of a rewritten query (`incomplete`, `out_of_domain`) people say whether the answer still answers it.
-- What they reject leaves the metrics (`staging.rejected_by_people`): a pair with all of its cases, or a case.
with cases as (

    select * from raw.cases
    where suite = 'failsafeqa'

),

asked as (

    select
        release,
        suite,
        case_id,
        qa_pair_id,
        context_id,
        variant,
        query,
        target
    from cases
    where variant in ('baseline', 'incomplete', 'out_of_domain', 'irrelevant_context')

),

questions as (

    select
        asked.release,
        asked.suite,
        if(asked.variant = 'baseline', asked.qa_pair_id, asked.case_id) as qa_pair_id,
        if(asked.variant = 'baseline', qa_pairs.task, asked.variant) as task,
        if(asked.variant = 'baseline', qa_pairs.task, asked.variant) as stratum,
        false as is_spare,
        pairs.group_number,
        case
            when asked.variant in ('baseline', 'irrelevant_context')
                then asked.query || ' (Answer from the text alone. If it does not say, write: not stated.)'
            else
                'Someone asks: "' || asked.query || '" Does the answer below fit, as it fits "' || qa_pairs.query
                || '"? Answer yes or no.'
        end as query,
        case asked.variant
            when 'baseline' then asked.target
            when 'irrelevant_context' then 'not stated'
            else 'yes'
        end as answer,
        if(asked.variant in ('baseline', 'irrelevant_context'), contexts.text, asked.target) as text
    from asked
    inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    left join raw.contexts as contexts
        on asked.release = contexts.release
        and asked.suite = contexts.suite
        and asked.context_id = contexts.context_id

)

select * from questions
