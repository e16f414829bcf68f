-- One row per release, model, judge, metric and case of the long-context suite, or needle of it: what it counts, null where it is unscored.
--
-- recall            share of needles that a reply lists; of each needle
-- precision, f1     of the IDs of a reply, which counts by its IDs and needles
-- exact             share of replies that list exactly the needles
-- false_positives   IDs that a reply lists though no article fits, 1 if it is unreadable; of cases without needles
-- empty             share of such replies that are an empty list
-- invalid           share of replies that are no JSON as a whole
-- degenerate        share of replies that count in sequence or repeat themselves
-- single_exact      share of replies about one article each that are right
-- single_f1         F1 of the replies about one article each
--
-- An unreadable reply is wrong in all: it lists no needle and one wrong ID, or says the opposite of one article.
-- Units of one query are drawn anew together, and so are those of one background.
with counted as (

    select
        release,
        case_id || ' ' || needle as case_id,
        model,
        judge,
        unscored_reason,
        'recall' as metric,
        if(ids is null, null, list_contains(ids, needle)::integer) as numerator,
        1 as denominator
    from (
        select
            *,
            unnest(needles) as needle
        from longcontext.replies as replies
    )

    union all

    select
        release,
        case_id,
        model,
        judge,
        unscored_reason,
        metric,
        case metric
            when 'precision' then n_right
            when 'f1' then 2 * n_right
            when 'exact' then (label = 'correct')::integer
            when 'false_positives' then n_listed
            when 'empty' then (label = 'correct')::integer
            when 'invalid' then ((details ->> 'kind') != 'json')::integer
            when 'degenerate' then ((details ->> 'reply') in ('counting', 'repeating'))::integer
            when 'single_exact' then (label = 'correct')::integer
            when 'single_f1' then if(target = 'yes' and (details ->> 'said') = 'yes', 2, 0)
        end as numerator,
        case metric
            when 'precision' then n_listed
            when 'f1' then n_listed + len(needles)
            when 'single_f1'
                then (target = 'yes')::integer + (coalesce(details ->> 'said', if(target = 'yes', 'no', 'yes')) = 'yes')::integer
            else 1
        end as denominator
    from longcontext.replies as replies
    cross join (
        values
        ('precision', [false], [true]),
        ('f1', [false], [true]),
        ('exact', [false], [true]),
        ('false_positives', [false], [false]),
        ('empty', [false], [false]),
        ('invalid', [false], [true, false]),
        ('degenerate', [false], [true, false]),
        ('single_f1', [true], [true, false]),
        ('single_exact', [true], [true, false])
    ) as metrics (metric, of_single, of_answerable)
    where list_contains(of_single, is_single) and list_contains(of_answerable, is_answerable)

),

units as (

    select
        * exclude (unscored_reason) replace (
            if(unscored_reason is null, numerator, null) as numerator,
            if(unscored_reason is null, denominator, null) as denominator
        )
    from counted

)

select * from units
