-- One row per perturbation with a case that changes what its class must keep, or keeps what it must change.
--
-- One passage: contradiction and missing information change it and no query, a false premise the query alone, and the
-- others either or both. Ten: a contradiction changes one passage of noise, missing information all that the answer
-- follows from, granularity and epistemic mismatches these, and maybe the query. Whitespace is no change. Published
-- perturbations are the authors' own.
with passages as (

    select
        release,
        suite,
        base_question_id,
        query,
        unnest(passages, recursive := true),
        generate_subscripts(passages, 1) - 1 as place
    from raw.base_questions

),

drawn as (

    select
        perturbations.release,
        perturbations.suite,
        perturbations.perturbation_id,
        perturbations.base_question_id,
        perturbations.setting,
        perturbations.perturbation_class,
        perturbations.query,
        perturbations.changes
    from raw.perturbations as perturbations
    semi join raw.cases as cases
        on perturbations.release = cases.release
        and perturbations.suite = cases.suite
        and perturbations.perturbation_id = cases.details ->> '$.perturbation_id'
    where perturbations.request_id is not null

),

compared as (

    select
        drawn.release,
        drawn.suite,
        drawn.perturbation_id,
        drawn.setting,
        drawn.perturbation_class,
        passages.is_signal,
        regexp_split_to_array(trim(drawn.query), '\s+') != regexp_split_to_array(trim(passages.query), '\s+')
            as changes_query,
        coalesce(
            regexp_split_to_array(trim(list_filter(drawn.changes, lambda change: change.index = place)[1].text), '\s+')
            != regexp_split_to_array(trim(passages.text), '\s+'),
            false
        ) as changes_passage
    from drawn
    inner join passages using (release, suite, base_question_id)

),

counted as (

    select
        release,
        suite,
        perturbation_id,
        setting,
        perturbation_class,
        bool_or(changes_query) as changes_query,
        count(*) filter (where is_signal) as n_signal,
        count(*) filter (where is_signal and changes_passage) as n_signal_changed,
        count(*) filter (where not is_signal and changes_passage) as n_noise_changed
    from compared
    group by all

)

select * from counted
where not case
    when perturbation_class = 'false_premise'
        then changes_query and n_signal_changed = 0 and n_noise_changed = 0
    when perturbation_class = 'contradiction' and setting = 'multi'
        then not changes_query and n_signal_changed = 0 and n_noise_changed = 1
    when perturbation_class in ('contradiction', 'missing_info')
        then not changes_query and n_signal_changed = n_signal and n_noise_changed = 0
    when perturbation_class != 'ambiguity' and setting = 'multi'
        then n_signal_changed = n_signal and n_noise_changed = 0
    else (changes_query or n_signal_changed > 0) and n_noise_changed = 0
end
