-- One row per release, model, judge, metric and unit of the long-context suite: what the unit counts, null where it is unscored.
--
-- recall            share of needles that a reply lists; a unit is a needle of a case
-- precision, f1     of the IDs of a reply; a unit is a case, which counts by its IDs and needles
-- exact             share of replies that list exactly the needles
-- false_positives   IDs that a reply lists though no article fits, 1 if it is unreadable; a unit is a case without needles
-- empty             share of such replies that are an empty list
-- invalid           share of replies that are no JSON as a whole
-- degenerate        share of replies that count in sequence or repeat themselves
-- single_exact      share of replies about one article each that are right
-- single_f1         F1 of the replies about one article each; a unit is a case
--
-- An unreadable reply is wrong in all: it lists no needle and one wrong ID, or says the opposite of one article.
-- Units of one query are drawn anew together, and so are those of one background.
with replies as (

    select * from longcontext.replies

),

of_needles as (

    select
        replies.* exclude (places),
        unnest(places) as place
    from replies

),

counted as (

    select
        'recall' as metric,
        case_id || ' ' || place.number as unit_id,
        pair_number,
        if(ids is null, null, list_contains(ids, place.number)::integer) as numerator,
        1 as denominator,
        map {'depth': format('{:02d}-{} %', 10 * place.depth, 10 * place.depth + 10)} as of_needle,
        * exclude (place, pair_number)
    from of_needles

    union all by name

    select
        metric,
        -- these say nothing of whether the reply is right
        if(metric in ('false_positives', 'invalid', 'degenerate'), case_id || ' ' || metric, case_id) as unit_id,
        replies.*,
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
    from replies
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
        counted.suite,
        counted.release,
        counted.model,
        null::varchar as other_model,
        counted.judge,
        counted.metric,
        counted.unit_id,
        counted.pair_number,
        counted.group_number,
        counted.donor_group_number,
        counted.variant,
        counted.task,
        counted.is_answerable,
        map_concat(counted.traits, coalesce(counted.of_needle, map {})) as traits,
        if(counted.unscored_reason is null, counted.numerator, null) as numerator,
        if(counted.unscored_reason is null, counted.denominator, null) as denominator,
        [counted.case_id] as case_ids
    from counted

)

select * from units
