-- One row per release, judge, case and two models whose answers were compared, from the side of either model.
--
-- A judge is asked in both orders. first_label is its verdict with the model's answer shown first, second_label with the
-- other one's, both said of the model. The model has won or lost only if both say so; all else is a tie. A game is silent if
-- a reply has no answer, which decides it: the judge, a model, was not asked.
with judgements as (

    select
        release,
        suite,
        judge,
        case_id,
        model,
        other_model,
        label,
        judge like '%=%' and label is not null and judge_request_id is null as is_silent
    from staging.judgements
    where suite = 'tablequest' and other_model is not null

),

levels as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        qa_pairs.task as level
    from raw.cases as cases
    inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)

),

games as (

    select
        judgements.release,
        judgements.judge,
        judgements.case_id,
        levels.level,
        judgements.model,
        judgements.other_model,
        judgements.label as first_label,
        case others.label when 'won' then 'lost' when 'lost' then 'won' else others.label end as second_label,
        case
            when first_label is null or second_label is null then null
            when first_label = second_label then first_label
            else 'tie'
        end as outcome,
        judgements.is_silent
    from judgements
    inner join judgements as others
        on judgements.release = others.release
        and judgements.judge = others.judge
        and judgements.case_id = others.case_id
        and judgements.model = others.other_model
        and judgements.other_model = others.model
    inner join levels
        on judgements.release = levels.release
        and judgements.suite = levels.suite
        and judgements.case_id = levels.case_id

)

select * from games
