-- Weight of robustness against grounding: the parameter `beta`, 0.5 where none is given.
create macro failsafeqa.beta() as coalesce(getvariable('beta'), 0.5)::double
