-- The rubric by which a case is judged: `answerable`, or the perturbation that took its answer away.
create macro macros.rubric(perturbation, is_answerable) as if(is_answerable, 'answerable', perturbation)
