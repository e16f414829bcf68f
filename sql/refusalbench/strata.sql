-- One row per release, setting, class, intensity and generator: its perturbations by what became of them.
--
-- Each is exactly one of n_no_lever (its lever could not be applied), n_unread, n_unverified (no vote, or one that
-- could not be read), n_failed (a verifier did not pass it), n_not_drawn and n_drawn, which are asked as n_cases.
with strata as (

    select
        release,
        setting,
        perturbation_class,
        intensity,
        generator,
        made,
        count(*) as n,
        count(*) filter (where reject_reason = 'the generator could not apply the lever') as n_no_lever,
        count(*) filter (where reject_reason = 'the generator''s reply could not be read') as n_unread,
        count(*) filter (
            where reject_reason in ('no verifier voted', 'a verifier''s reply could not be read')
        ) as n_unverified,
        count(*) filter (where reject_reason = 'a verifier did not pass it') as n_failed,
        count(*) filter (where reject_reason = 'its stratum and generator have enough cases') as n_not_drawn,
        count(*) filter (where n_cases > 0) as n_drawn,
        count(distinct lever) filter (where n_cases > 0) as n_levers,
        sum(n_cases)::bigint as n_cases
    from refusalbench.perturbations as perturbations
    group by all

)

select * from strata
order by release, setting, perturbation_class, array_position(['low', 'medium', 'high'], intensity), generator
