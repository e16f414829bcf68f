-- One row per length of the answers of the TableQuest paper's recall study, and one for all: table 4.
--
-- Lengths are in tokens of NLTK; 2,100 questions on papers' tables.
with printed as (

    select *
    from (
        values
        ('0-5', 0.267, 0.704),
        ('5-10', 0.150, 0.788),
        ('10-15', 0.193, 0.816),
        ('15-20', 0.158, 0.782),
        ('20+', 0.232, 0.642),
        ('all', 1.0, 0.736)
    ) as rows (answer_tokens, share, recall)

),

published_recall as (

    select
        answer_tokens,
        columns(* exclude (answer_tokens))::double
    from printed

)

select * from published_recall
order by answer_tokens = 'all', length(answer_tokens), answer_tokens
