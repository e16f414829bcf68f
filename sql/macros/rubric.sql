-- The rubric by which a case is judged: `answerable`, or the variant that took its answer away.
create macro macros.rubric(variant, is_answerable) as if(is_answerable, 'answerable', variant)
