-- One row per release, judge, model, kind of reply and level of confidence: how many replies had it, and how many of them are right.
--
-- midpoint is the confidence that the level stands for (paper 003, appendix F.2).
with answers as (

    select
        *,
        unnest(['all', if(is_refusal, 'refusals', 'answers')]) as replies
    from refusalbench.answers
    where prompt = 'confidence' and confidence is not null and score_of_case is not null

),

levels (confidence, midpoint) as (

    values
    ('very_uncertain', 0.15::double),
    ('uncertain', 0.4),
    ('somewhat_confident', 0.6),
    ('confident', 0.8),
    ('very_confident', 0.95)

),

counted as (

    select
        release,
        judge,
        model,
        replies,
        confidence,
        count(*) as n,
        n / sum(n) over (partition by release, judge, model, replies) as share
    from answers
    group by release, judge, model, replies, confidence

),

metrics as (

    select
        release,
        judge,
        model,
        metric,
        value,
        low,
        high
    from refusalbench.metrics
    where slice_by = 'overall'

),

reliability as (

    select
        counted.*,
        levels.midpoint,
        metrics.value as accuracy,
        metrics.low,
        metrics.high,
        metrics.value - levels.midpoint as difference
    from counted
    inner join levels using (confidence)
    inner join metrics
        on counted.release = metrics.release
        and counted.judge = metrics.judge
        and counted.model = metrics.model
        and metrics.metric = case replies when 'answers' then 'answer_' when 'refusals' then 'refusal_' else '' end
        || 'confidence_' || confidence

)

select * from reliability
order by release, judge, model, replies, midpoint
