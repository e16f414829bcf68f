-- One row per release, model, judge, length and tenth of the haystack: what the listed IDs of this part are.
--
-- n_outside counts IDs that no article of the text has. They are a row of their own, whose part is null.
with replies as (

    select
        release,
        model,
        judge,
        length,
        case_id,
        unnest(ids) as id
    from longcontext.replies
    where not is_single and unscored_reason is null

),

records as (

    select
        release,
        case_id,
        n_articles
    from raw.records
    where suite = 'longcontext'

),

placed as (

    select
        release,
        case_id,
        number as id,
        kind
    from raw.placed_articles
    where suite = 'longcontext'

),

listed as (

    select
        replies.*,
        placed.kind,
        if(id between 1 and n_articles, 10 * ((id - 1) * 10 // n_articles), null) as tenth,
        format('{:02d}-{} %', tenth, tenth + 10) as part
    from replies
    inner join records using (release, case_id)
    left join placed using (release, case_id, id)

),

listed_ids as (

    select
        release,
        model,
        judge,
        length,
        part,
        count(*) as n_listed,
        count(*) filter (where kind = 'needle') as n_needles,
        count(*) filter (where kind = 'natural') as n_natural,
        count(*) filter (where kind = 'induced') as n_induced,
        count(*) filter (where kind is null and part is not null) as n_background,
        count(*) filter (where part is null) as n_outside
    from listed
    group by all

)

select * from listed_ids
order by release, model, judge, length, part nulls last
