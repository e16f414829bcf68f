-- One row per unit and slice that it lies in: the whole, its traits one by one and crossed (`suites.slices`), and what its filing is sliced by.
--
-- `units` names a relation as a suite's `units`. A unit's filing and context are those of the pair of its first case.
-- Where the answer stands says nothing of a case that the context cannot answer: it lies in no such slice.
create macro macros.sliced(units) as table (

    with given as (

        select * from query_table(units)

    ),

    crossed as (

        select
            suite,
            list(traits) as sets
        from suites.slices
        where len(traits) > 1
        group by all

    ),

    cases as (

        select
            release,
            suite,
            case_id,
            qa_pair_id,
            is_answerable
        from raw.cases

    ),

    found as (

        select
            given.*,
            cases.qa_pair_id,
            cases.is_answerable
        from given
        left join cases
            on given.release = cases.release
            and given.suite = cases.suite
            and given.case_ids[1] = cases.case_id

    ),

    of_traits as (

        select
            found.*,
            unnest(
                ['overall']
                || list_transform(map_entries(found.traits), lambda trait: trait.key || '=' || trait.value)
                || macros.slices_of(found.traits, coalesce(crossed.sets, []))
            ) as slice
        from found
        left join crossed using (suite)

    ),

    of_filings as (

        select
            found.*,
            slices.slice
        from found
        inner join staging.judged_pair_slices as slices using (release, suite, model, qa_pair_id)
        where found.is_answerable or not slices.is_of_answers

    )

    select * from of_traits
    where slice is not null
    union all
    select * from of_filings

)
