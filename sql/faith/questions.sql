-- One row per question of FAITH, as a question for people (`tenkbench audit questions`): which figure the tables give.
--
-- A stratum is a scenario. People see the tables alone, and the label only after they have written theirs.
select
    pairs.release,
    pairs.suite,
    pairs.qa_pair_id,
    pairs.task,
    pairs.traits['scenario'] as stratum,
    false as is_spare,
    pairs.group_number,
    'Which figure stands at [MASK]? Take it from the tables alone; write "not in the tables" if they do not give it. '
    || 'The passage: ' || texts.query as query,
    texts.answer,
    contexts.text
from staging.pairs as pairs
inner join raw.qa_pairs as texts using (release, suite, qa_pair_id)
inner join raw.contexts as contexts using (release, suite, context_id)
where pairs.suite = 'faith'
