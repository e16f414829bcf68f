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
        string_split(metric, '_')[1] as level,
        string_split(metric, '_')[2] as of,
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

points as (

    select
        release,
        judge,
        model,
        variant as format,
        task as level,
        count(*) filter (where numerator = 0) as n_html_only,
        count(*) filter (where numerator = 1) as n_format_only
    from tablequest.units
    where metric in ('easy_format', 'medium_format')
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
        metrics.* exclude (of),
        2 * against.value - 1 as change,
        2 * against.low - 1 as change_low,
        2 * against.high - 1 as change_high,
        points.n_html_only,
        points.n_format_only,
        prompts.mean_prompt_tokens
    from metrics
    left join metrics as against
        on metrics.release = against.release
        and metrics.judge = against.judge
        and metrics.model = against.model
        and metrics.format = against.format
        and metrics.level = against.level
        and against.of = 'format'
    left join points
        on metrics.release = points.release
        and metrics.judge = points.judge
        and metrics.model = points.model
        and metrics.format = points.format
        and metrics.level = points.level
    left join prompts
        on metrics.release = prompts.release
        and metrics.model = prompts.model
        and metrics.format = prompts.format
        and metrics.level = prompts.level
    where metrics.of = 'accuracy'
    qualify count(distinct metrics.format) over (partition by metrics.release) > 1

)

select * from formats
order by release, judge, model, level, list_position(['html', 'markdown', 'csv'], format)
