-- One row per model of the panel and mention that it was asked about: its label; null where it is unread.
select
    votes.release,
    votes.suite,
    votes.model as rater,
    votes.article_id || ' ' || votes.company as unit,
    (dense_rank() over (partition by votes.release order by votes.company) - 1)
    % (
        select max(pairs.group_number) + 1
        from staging.pairs as pairs
        where pairs.release = votes.release and pairs.suite = votes.suite
    ) as group_number,
    votes.label
from raw.sentiment_votes as votes
