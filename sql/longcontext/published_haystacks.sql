-- One row per length of the long-context paper: how many articles and test records it has.
with printed as (

    select *
    from (
        values
        (4000, 116, 110),
        (8000, 233, 110),
        (16000, 462, 85),
        (32000, 950, 85),
        (64000, 1987, 85),
        (128000, 4010, 85)
    ) as rows (length, n_articles, n_records)

),

published_haystacks as (

    select
        length,
        n_articles,
        n_records
    from printed

)

select * from published_haystacks
