-- One row per release, judge, model, level and format of tables, if the release has several: accuracy, and its change from HTML.
--
-- value               accuracy on the questions of the level, with the interval low to high
-- change              accuracy less that in HTML, over questions that are judged in both; null of HTML. Its interval is that of
--                     the points of the format against HTML, stretched from 0 to 1 to -1 to 1
-- n_html_only         of these questions: correct in HTML only, and n_format_only, in this format only
-- mean_prompt_tokens  of the prompts of this level and format
with metrics as (

    select
        release,
        judge,
        model,
        slice_value as format,
        split_part(metric, '_', 1) as level,
        split_part(metric, '_', 2) = 'accuracy' as is_accuracy,
        n,
        n_unscored,
        value,
        low,
        high
    from tablequest.metrics
    where
        slice_by = 'variant'
        and metric in ('easy_accuracy', 'medium_accuracy', 'easy_format', 'medium_format')

),

accuracies as (

    select
        release,
        judge,
        model,
        format,
        level,
        any_value(n) filter (where is_accuracy) as n,
        any_value(n_unscored) filter (where is_accuracy) as n_unscored,
        any_value(value) filter (where is_accuracy) as value,
        any_value(low) filter (where is_accuracy) as low,
        any_value(high) filter (where is_accuracy) as high,
        2 * any_value(value) filter (where not is_accuracy) - 1 as change,
        2 * any_value(low) filter (where not is_accuracy) - 1 as change_low,
        2 * any_value(high) filter (where not is_accuracy) - 1 as change_high
    from metrics
    group by all

),

points as (

    select
        release,
        judge,
        model,
        variant as format,
        task as level,
        count(*) filter (where numerator = 0) as n_html_only,
        count(*) filter (where numerator = 1) as n_format_only
    from staging.units
    where suite = 'tablequest' and metric in ('easy_format', 'medium_format')
    group by all

),

prompts as (

    select
        requests.release,
        requests.model,
        requests.variant as format,
        pairs.task as level,
        avg(requests.n_prompt_tokens) as mean_prompt_tokens
    from staging.answer_requests as requests
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where requests.suite = 'tablequest'
    group by all

),

formats as (

    select
        accuracies.*,
        points.n_html_only,
        points.n_format_only,
        prompts.mean_prompt_tokens
    from accuracies
    left join points using (release, judge, model, format, level)
    left join prompts using (release, model, format, level)
    qualify count(distinct format) over (partition by release) > 1

)

select * from formats
order by release, judge, model, level, list_position(['html', 'markdown', 'csv'], format)
