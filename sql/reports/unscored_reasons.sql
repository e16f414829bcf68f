-- One row per release, model, judge, variant and reason: how many cases have neither rating nor verdict, or no readable reply.
--
-- No rows if every answer was judged.
--
-- counted_as     `unscored`, or `wrong`: a reply that is empty or unreadable is its model's fault, and counts as wrong
-- n_answers      the model's answers that were put to the judge, under all perturbations
with judged_cases as (

    select
        *,
        count(*) over (partition by release, suite, model, judge) as n_answers
    from staging.judged_cases

),

unscored_reasons as (

    select
        release,
        suite,
        model,
        judge,
        variant,
        if(label = 'unreadable', 'wrong', 'unscored') as counted_as,
        coalesce(unscored_reason, unreadable_reason) as unscored_reason,
        count(*) as n,
        n_answers,
        min(case_id) as example_case_id
    from judged_cases
    where unscored_reason is not null or label = 'unreadable'
    group by all

)

select * from unscored_reasons
order by release, suite, model, judge, variant, counted_as, n desc, unscored_reason
