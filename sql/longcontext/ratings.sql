-- One row per model of the panel and mention that it was asked about: its label; null where it is unread.
select
    votes.release,
    votes.suite,
    votes.model as rater,
    votes.article_id || ' ' || votes.company as unit,
    dense_rank() over (partition by votes.release, votes.suite order by votes.company) - 1 as group_number,
    votes.label
from raw.sentiment_votes as votes
