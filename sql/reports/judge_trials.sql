-- One row per release, suite and judge: how often it failed where a sound judge does not.
--
-- n_asked answers were put to it, and n_unscored of them got no rating, label or score. If the verdicts on the others, 20
-- or more, are all the same, n_same counts them. Of n_attacks answers written to
-- deceive it fell for n_fell; an attack that leaves it without a verdict gains nothing and is not among them. It rated
-- n_missed of n_controls honest answers unsoundly. Of n_repeated answers that it rated twice, n_flips passed once only.
-- self_preference is the largest of `reports.judge_self_preference` in ratings whose interval lies above 0;
-- rules know nobody.
with judgements as (

    select
        release,
        suite,
        judge,
        count(*) filter (where judge_request_id is not null) as n_asked,
        count(*) filter (where judge_request_id is not null and unscored_reason is not null) as n_unscored,
        count(distinct (rating, label, score)) filter (
            where judge_request_id is not null and unscored_reason is null
        ) as n_verdicts
    from staging.judgements
    group by all

),

attacks as (

    select
        release,
        suite,
        judge,
        sum(n) filter (where kind not like 'honest%')::bigint as n_attacks,
        sum(n - n_resisted - n_unscored) filter (where kind not like 'honest%')::bigint as n_fell,
        sum(n) filter (where kind like 'honest%')::bigint as n_controls,
        sum(n - n_resisted) filter (where kind like 'honest%')::bigint as n_missed
    from reports.judge_attacks
    group by all

),

repeats as (

    select
        release,
        suite,
        rater as judge,
        count(*) as n_repeated,
        count(*) filter (where compliance != other_compliance) as n_flips
    from staging.verdict_pairs
    where relation = 'judged again' and rating is not null and other_rating is not null
    group by all

),

preferences as (

    select
        release,
        suite,
        judge,
        max(self_preference) as self_preference
    from reports.judge_self_preference
    anti join (select * from reports.judges where is_rules) using (release, suite, judge)
    where measure = 'rating' and low > 0
    group by all

),

judge_trials as (

    select
        judgements.release,
        judgements.suite,
        judgements.judge,
        judgements.n_asked,
        judgements.n_unscored,
        case
            when judgements.n_verdicts = 1 and judgements.n_asked - judgements.n_unscored >= 20
                then judgements.n_asked - judgements.n_unscored
            else 0
        end as n_same,
        coalesce(attacks.n_attacks, 0) as n_attacks,
        coalesce(attacks.n_fell, 0) as n_fell,
        coalesce(attacks.n_controls, 0) as n_controls,
        coalesce(attacks.n_missed, 0) as n_missed,
        coalesce(repeats.n_repeated, 0) as n_repeated,
        coalesce(repeats.n_flips, 0) as n_flips,
        preferences.self_preference
    from judgements
    left join attacks using (release, suite, judge)
    left join repeats using (release, suite, judge)
    left join preferences using (release, suite, judge)

)

select * from judge_trials
order by release, suite, judge
