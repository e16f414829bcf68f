-- One row per release and remark on TableQuest's figures: a sentence, the query that lists its rows, and whether a judge failed.
--
-- A judge that calls every game a tie tells no models apart, no more than one whose verdicts follow the order of the answers.
with failed as (

    select
        release,
        0 as place,
        printf(
            'The judge %s failed: in %,d of %,d games its verdict changes with the order of the answers%s. '
            || 'Its ratings do not show which model is better.',
            judge,
            n_order_dependent,
            n,
            coalesce(
                printf(
                    ', and it gives the answer shown first %s of all points',
                    macros.share_in_digits(first_share)
                ),
                ''
            )
        ) as says,
        'from tablequest.position_bias' as query
    from tablequest.failed_judges

),

undecided as (

    select
        release,
        1 as place,
        printf('The judge %s calls all %,d games ties: its ratings tell no models apart.', judge, n) as says,
        'from tablequest.outcomes' as query
    from tablequest.position_bias
    where level = 'all' and n > 0 and n_decided = 0 and n_order_dependent = 0

),

clipped as (

    select
        release,
        2 as place,
        printf(
            'By %s, %s won or lost all of its %,d games with the baseline: its rating is only a bound.',
            judge,
            model,
            n
        ) as says,
        'from tablequest.ladder where is_clipped' as query
    from tablequest.ladder
    where is_clipped and level = 'all'

),

unrated as (

    select
        release,
        3 as place,
        printf('By %s, %s has %s.', judge, model, unrated_reason) as says,
        'from tablequest.ladder where unrated_reason is not null' as query
    from tablequest.ladder
    anti join tablequest.failed_judges using (release, judge)
    where unrated_reason is not null and level = 'all'

),

several as (

    select
        release,
        4 as place,
        printf(
            'Each question is asked with its tables in %s: figures over all answers count it %,d times.',
            string_agg(distinct format, ', ' order by list_position(['html', 'markdown', 'csv'], format)),
            count(distinct format)
        ) as says,
        'from tablequest.formats' as query
    from tablequest.formats
    group by release

),

unasked as (

    select
        release,
        5 as place,
        printf('%,d questions were kept, %,d are asked: %s.', n_pairs, n_pairs - count(*), reason) as says,
        'from raw.rejects where suite = ''tablequest'' and stage = ''cases''' as query
    from raw.rejects
    inner join reports.dataset_statistics as statistics using (release, suite)
    where suite = 'tablequest' and stage = 'cases'
    group by release, n_pairs, reason

),

remarks as (

    select * from failed
    union all
    select * from undecided
    union all
    select * from clipped
    union all
    select * from unrated
    union all
    select * from several
    union all
    select * from unasked
    union all
    select * from macros.filings_without_questions('tablequest')

)

select
    * exclude (place),
    place < 2 as is_failure
from remarks
order by release, place, says
