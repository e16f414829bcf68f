-- One row per thing that a unit may be about: a case, a pair by the cases that its context answers, or a part of a case.
--
-- Parts are those of a suite's `parts`; one that has the id of its case stands for the case. What people reject is no
-- case of a pair. donor_group_number is the group of another filing that a case takes something from, such as the query
-- of another pair (`donor_qa_pair_id` in its details); null for most. traits are those that the suite slices by.
with sliced as (

    select
        suite,
        list(distinct trait) as traits
    from (
        select
            suite,
            unnest(traits) as trait
        from suites.slices
    )
    group by all

),

cases as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.qa_pair_id,
        pairs.pair_number,
        pairs.group_number,
        nullif(donors.group_number, pairs.group_number) as donor_group_number,
        cases.variant,
        pairs.task,
        cases.is_answerable,
        map_concat(pairs.traits, coalesce(cases.traits, map {})) as traits
    from raw.cases as cases
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    left join staging.pairs as donors
        on cases.release = donors.release
        and cases.suite = donors.suite
        and cases.details ->> '$.donor_qa_pair_id' = donors.qa_pair_id

),

whole_cases as (

    select
        * exclude (qa_pair_id),
        case_id as subject_id,
        [case_id] as case_ids
    from cases
    anti join suites.parts as parts
        on cases.release = parts.release
        and cases.suite = parts.suite
        and cases.case_id = parts.part_id

),

parts_of_cases as (

    select
        cases.* exclude (qa_pair_id, donor_group_number, traits),
        parts.donor_group_number,
        map_concat(cases.traits, parts.traits) as traits,
        parts.part_id as subject_id,
        [case_id] as case_ids
    from cases
    inner join suites.parts as parts using (release, suite, case_id)

),

pairs as (

    select
        release,
        suite,
        qa_pair_id as subject_id,
        pair_number,
        group_number,
        task,
        true as is_answerable,
        list(case_id order by case_id) as case_ids
    from cases
    anti join staging.rejected_by_people as rejected using (release, suite, case_id)
    where is_answerable
    group by all

),

subjects as (

    select
        release,
        suite,
        subject_id,
        pair_number,
        group_number,
        donor_group_number,
        variant,
        task,
        is_answerable,
        map_from_entries(
            list_filter(map_entries(things.traits), lambda trait: list_contains(sliced.traits, trait.key))
        ) as traits,
        case_ids
    from (
        from whole_cases
        union all by name
        from parts_of_cases
        union all by name
        from pairs
    ) as things
    left join sliced using (suite)

)

select * from subjects
