-- One row per release, judge and case that was judged: where needles and hard negatives lie in its text, and what replies list.
--
-- marks   each needle, each ID that a reply lists, and up to 5 hard negatives that none lists, with the models that
--         list it. place is from 0 at the text's start to 1 at its end, and null if no article has the number, or if
--         the article is all of the text. kind is null of background, of which no line is shown
-- others  places of all hard negatives, as bins of 0.5 % from 0
with judged as (

    select
        release,
        judge,
        case_id,
        any_value(target) as target,
        bool_or(is_single) as is_single
    from longcontext.replies
    group by all

),

named as (

    select
        release,
        judge,
        case_id,
        number,
        list(model order by model) as models
    from (select *, unnest(ids) as number from longcontext.replies)
    group by release, judge, case_id, number

),

of_haystacks as (

    select
        judged.release,
        judged.judge,
        judged.case_id,
        placed.number,
        (placed.number - 1) / greatest(records.n_articles - 1, 1) as place,
        placed.kind = 'needle' as is_wanted,
        concat_ws(': ', placed.kind, placed.reason) as kind,
        placed.article_id,
        placed.shown_date,
        coalesce(named.models, []) as models
    from judged
    inner join (select release, case_id, n_articles from raw.records) as records using (release, case_id)
    inner join raw.placed_articles as placed using (release, case_id)
    left join named using (release, judge, case_id, number)

),

chosen as (

    select *
    from of_haystacks
    qualify
        is_wanted
        or len(models) > 0
        or row_number() over (
            partition by release, judge, case_id
            order by is_wanted, len(models) > 0, number
        ) <= 5

),

-- alone: in one join with the replies, each of these would meet all texts of its release
singles as materialized (

    select
        cases.release,
        cases.case_id,
        cases.traits['kind'] as kind,
        regexp_extract(contexts.text, '(Date|Title): .*') as line
    from raw.cases as cases
    inner join raw.contexts as contexts using (release, suite, context_id)
    where cases.suite = 'longcontext' and contexts.kind = 'article'

),

shown as (

    select
        chosen.* exclude (article_id, shown_date),
        coalesce('Date: ' || chosen.shown_date || '; ', '') || 'Title: ' || articles.title as line
    from chosen
    left join raw.articles as articles using (release, article_id)

    union all by name

    select
        named.*,
        if(number between 1 and n_articles, (number - 1) / greatest(n_articles - 1, 1), null) as place,
        false as is_wanted
    from named
    inner join (select release, case_id, n_articles from raw.records) as records using (release, case_id)
    anti join raw.placed_articles as placed using (release, case_id, number)

    union all by name

    select
        judged.release,
        judged.judge,
        judged.case_id,
        1 as number,
        judged.target = 'yes' as is_wanted,
        singles.kind,
        singles.line,
        [] as models
    from judged
    inner join singles using (release, case_id)
    where judged.is_single

),

marks_of as (

    select
        release,
        judge,
        case_id,
        list(
            {
                'number': number,
                'place': place,
                'kind': kind,
                'is_wanted': is_wanted,
                'line': line,
                'models': models
            }
            order by number
        ) as marks
    from shown
    group by all

),

others_of as (

    select
        release,
        judge,
        case_id,
        list_sort(list(distinct floor(200 * place)::integer)) as others,
        count(*) as n_unwanted
    from of_haystacks
    where not is_wanted
    group by all

),

marks as (

    select
        judged.release,
        judged.judge,
        judged.case_id,
        judged.target,
        coalesce(marks_of.marks, []) as marks,
        coalesce(others_of.others, []) as others,
        coalesce(others_of.n_unwanted, 0) as n_unwanted
    from judged
    left join marks_of using (release, judge, case_id)
    left join others_of using (release, judge, case_id)

)

select * from marks
