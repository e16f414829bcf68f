-- One row per release, critic, level and two models of TableQuest, and one from the paper: the first model's lead in points.
--
-- Only cases in which the critic gave both models points count.
--
-- difference    mean of the model's points minus the other one's, of 1 to 3
-- n_ahead       cases in which the model has two points more
with critiques as (

    select
        release,
        model,
        judge,
        case_id,
        task as level,
        1 + 2 * if(label = 'unreadable', 0, score) as points
    from staging.judged_cases
    where suite = 'tablequest' and judge like 'critique=%' and (score is not null or label = 'unreadable')

),

differences as (

    select
        critiques.release,
        critiques.judge,
        critiques.model,
        others.model as other_model,
        unnest(['all', critiques.level]) as level,
        critiques.points - others.points as difference
    from critiques
    inner join critiques as others
        on critiques.release = others.release
        and critiques.judge = others.judge
        and critiques.case_id = others.case_id
        and critiques.model != others.model

),

own_models as (

    select
        'this lake' as source,
        release,
        judge,
        model,
        other_model,
        level,
        count(*) as n,
        avg(difference) as difference,
        count(*) filter (where difference >= 2) as n_ahead,
        n_ahead / n as share_ahead
    from differences
    group by all

),

critique_differences as (

    select * from own_models

    union all by name

    select
        'paper (Pan et al. 2024)' as source,
        'critique=o1-preview' as judge,
        'gpt-4-turbo' as model,
        'Meta-Llama-3.1-70B-Instruct' as other_model,
        'all' as level,
        0.34 as difference,
        0.125 as share_ahead

)

select * from critique_differences
order by source desc, release, judge, difference desc, model, other_model, level
