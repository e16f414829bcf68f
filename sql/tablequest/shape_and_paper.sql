-- One row per level of TableQuest and source: the shape of this release's questions, and that of the paper's (table 1).
with shape_and_paper as (

    select
        'this release' as source,
        *
    from tablequest.shape
    union all by name
    select
        'paper (Pan et al. 2024)' as source,
        level,
        80 as n_pairs,
        question_chars as mean_question_chars,
        answer_chars as mean_answer_chars,
        tables_per_context as mean_tables,
        rows_per_table as mean_rows,
        columns_per_table as mean_columns
    from tablequest.published_shape

)

select * from shape_and_paper
order by list_position(['easy', 'medium', 'hard'], level), source desc, release
