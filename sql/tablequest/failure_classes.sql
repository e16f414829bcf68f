-- One row per release, model, critic, level of TableQuest and class of failure: in how many replies the critic saw it.
--
-- share is that of the replies that the critic gave points; a reply may have several failures.
with critiques as (

    select
        release,
        model,
        judge,
        task as level,
        case_id,
        from_json(details -> 'failures', '["varchar"]') as failures
    from staging.judged_cases
    where suite = 'tablequest' and judge like 'critique=%' and (score is not null or label = 'unreadable')

),

levels as (

    select
        release,
        model,
        judge,
        level,
        count(*) as n_critiques
    from critiques
    group by all

),

seen as (

    select
        * exclude (failures),
        unnest(failures) as failure
    from critiques

),

failure_classes as (

    select
        release,
        model,
        judge,
        level,
        failure,
        count(*) as n,
        n / any_value(levels.n_critiques) as share,
        min(seen.case_id) as example_case_id
    from seen
    inner join levels using (release, model, judge, level)
    group by all

)

select * from failure_classes
order by release, model, judge, level, n desc, failure
