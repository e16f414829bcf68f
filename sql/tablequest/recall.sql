-- One row per release and length of the answers of the recall study, and one for all: table 4, beside the paper's figures.
--
-- A length counts from its first number to below its second: an answer of 5 tokens is in `5-10`. The paper does not say
-- which end it counts. The last row is the mean over all answers, as the paper's 0.736 is.
with answers as (

    select
        release,
        recall,
        case
            when n_tokens < 5 then '0-5'
            when n_tokens < 10 then '5-10'
            when n_tokens < 15 then '10-15'
            when n_tokens < 20 then '15-20'
            else '20+'
        end as answer_tokens
    from raw.recall_answers
    where suite = 'tablequest'

),

counts as (

    select
        release,
        if(grouping(answer_tokens) = 1, 'all', answer_tokens) as answer_tokens,
        count(*) as n,
        avg(recall) as recall
    from answers
    group by grouping sets ((release, answer_tokens), (release))

),

releases as (

    select
        release,
        count(*) as n_answers
    from answers
    group by release

),

recall as (

    select
        releases.release,
        printed.answer_tokens,
        coalesce(counts.n, 0) as n,
        coalesce(counts.n, 0) / releases.n_answers as share,
        counts.recall,
        printed.share as published_share,
        printed.recall as published_recall
    from releases
    cross join tablequest.published_recall as printed
    left join counts
        on releases.release = counts.release
        and printed.answer_tokens = counts.answer_tokens

)

select * from recall
order by release, try_cast(regexp_extract(answer_tokens, '\d+') as int) nulls last
