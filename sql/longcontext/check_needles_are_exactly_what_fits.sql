-- One row per article of a haystack that fits its query and is no needle, or is a needle and does not fit, or is not where it is said to be.
--
-- An article whose date is shown in another format fits, but a model cannot know.
with shown as (

    select
        release,
        suite,
        case_id,
        number,
        article_id,
        fits,
        kind,
        reason
    from longcontext.shown_articles

),

wrong as (

    select
        release,
        suite,
        case_id,
        article_id,
        number,
        if(fits, 'it fits and is no needle', 'it is a needle and does not fit') as fault
    from shown
    where fits != (coalesce(kind, '') = 'needle')
        and coalesce(reason, '') != 'other format'

    union all

    select
        release,
        suite,
        case_id,
        article_id,
        number,
        'the text has another article there'
    from raw.placed_articles
    anti join shown using (release, suite, case_id, article_id, number)

    union all

    select
        release,
        suite,
        case_id,
        article_id,
        min(number),
        'the text has it twice'
    from shown
    group by all
    having count(*) > 1

)

select * from wrong
