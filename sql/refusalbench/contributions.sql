-- One row per release, setting and generator: how many of its perturbations pass, and its share of those drawn.
with contributions as (

    select
        release,
        setting,
        generator,
        made,
        sum(n)::bigint as n,
        sum(n_drawn + n_not_drawn)::bigint as n_passed,
        sum(n_drawn)::bigint as n_drawn
    from refusalbench.strata as strata
    group by release, setting, generator, made

)

select
    *,
    n_passed / n as passed_share,
    n_drawn / nullif(sum(n_drawn) over (partition by release, setting), 0) as share_of_drawn
from contributions
order by release, setting, generator
