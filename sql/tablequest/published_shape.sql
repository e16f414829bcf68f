-- One row per level of the TableQuest paper's questions: table 1, the lengths of questions and answers and the size of tables.
with printed as (

    select *
    from (
        values
        ('easy', 90.19, 27.70, 1.82, 11.31, 13.94),
        ('medium', 135.04, 15.61, 1.90, 10.87, 13.32),
        ('hard', 162.79, 202.61, 1.86, 10.49, 13.44)
    ) as rows (level, question_chars, answer_chars, tables_per_context, rows_per_table, columns_per_table)

),

published_shape as (

    select
        level,
        columns(* exclude (level))::double
    from printed

)

select * from published_shape
order by question_chars
