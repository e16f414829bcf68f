-- One row per level of LLM Compliance and point of its curve: context grounding, by robustness, that gives the level.
--
-- A curve is (1 + b^2) R G / (b^2 G + R) = level, for beta b, robustness R and grounding G from 0 to 1. b is the
-- parameter `beta`, 0.5 by default.
with levels as (

    select
        level,
        pow(coalesce(getvariable('beta'), 0.5)::double, 2) as weight,
        level * weight / (1 + weight - level) as first_robustness
    from (values (0.2), (0.4), (0.6), (0.8)) as levels (level)

),

points as (

    select
        level,
        weight,
        pow(first_robustness, 1 - step / 60) as robustness
    from levels
    cross join range(61) as steps (step)

),

equal_compliance as (

    select
        level::double as level,
        robustness,
        level * robustness / ((1 + weight) * robustness - level * weight) as context_grounding
    from points

)

select * from equal_compliance
order by level, robustness
