-- The remark of each release of a suite that has filings without a question.
create macro macros.filings_without_questions(of_suite) as table (

    select
        release,
        9 as place,
        printf('No question comes from %,d of %,d filings: all figures rest on the others.', count(*), any_value(n_filings)) as says,
        printf('from reports.filings_without_questions where suite = ''%s''', any_value(suite)) as query
    from reports.filings_without_questions
    inner join reports.dataset_statistics using (release, suite)
    where suite = of_suite
    group by release

)
