-- One row per release of FAITH, and per split of the paper: the size of the dataset, as its table counts it.
--
-- n_companies     filings with a question; the paper has one of each company
-- context_chars   mean length of a context: the text that a model is shown, with its passage left out
-- tables          mean number of tables in a context
-- n_sentences     different sentences with a figure that is asked for
-- n_figures       figures that are asked for
--
-- The paper's rows are of its project page (arXiv 2508.05201, "Pilot vs. Main split"). It does not say how it counts
-- characters.
with asked as (

    select
        release,
        suite,
        context_id,
        count(*) as n_figures,
        count(distinct (pre_sentence, sentence, post_sentence)) as n_sentences
    from raw.masked_spans
    where qa_pair_id is not null
    group by all

),

ours as (

    select
        asked.release,
        'this release' as split,
        count(*) as n_companies,
        avg(length(contexts.text)) as context_chars,
        avg(len(regexp_extract_all(contexts.text, '(?m)^### Table \d+: '))) as tables,
        sum(asked.n_sentences)::bigint as n_sentences,
        sum(asked.n_figures)::bigint as n_figures
    from asked
    inner join raw.contexts as contexts using (release, suite, context_id)
    group by asked.release

),

printed (split, n_companies, context_chars, tables, n_sentences, n_figures) as (

    values
    ('paper, pilot', 9, 14148, 14.9, 164, 300),
    ('paper, main', 453, 12843, 19.2, 1122, 2406)

),

dataset as (

    select * from ours
    union all
    select
        ours.release,
        printed.*
    from ours
    cross join printed

)

select * from dataset
order by release, split != 'this release', n_figures
