-- The remark of each release of a suite that has filings without a question.
create macro macros.filings_without_questions(of_suite) as table (

    select
        release,
        9 as place,
        printf('No question comes from %,d of the filings: all figures rest on the others.', count(*)) as says,
        printf('from reports.filings_without_questions where suite = ''%s''', any_value(suite)) as query
    from reports.filings_without_questions
    where suite = of_suite
    group by release

)
