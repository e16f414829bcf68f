-- One row per answer and two judges of which one says that it is right, and the other that it is wrong; with their reasons.
--
-- No rows without two judges that disagree.
-- A verdict is a label, or else a rating or score. `reports.judge_agreement` says how often two judges agree by chance.
with answers as (

    select
        judged.*,
        coalesce(judged.label, judged.rating::varchar, judged.score::varchar) as verdict,
        judgements.rationale
    from staging.judged_answers as judged
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    where judged.is_counted and judged.is_compliant is not null

),

cases as (

    select * from raw.cases

),

responses as (

    select
        release,
        suite,
        request_id,
        text
    from raw.responses

),

judge_disagreements as (

    select
        one.release,
        one.suite,
        one.judge,
        other.judge as other_judge,
        one.model,
        one.case_id,
        cases.variant,
        one.is_compliant,
        one.verdict,
        other.verdict as other_verdict,
        cases.query,
        cases.target,
        responses.text as answer,
        one.rationale,
        other.rationale as other_rationale
    from answers as one
    inner join answers as other using (release, suite, model, case_id)
    inner join cases using (release, suite, case_id)
    left join responses
        on one.release = responses.release
        and one.suite = responses.suite
        and one.request_id = responses.request_id
    where one.judge < other.judge and one.is_compliant != other.is_compliant

)

select * from judge_disagreements
order by release, suite, judge, other_judge, model, case_id
