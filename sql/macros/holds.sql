-- Whether a judgement says that an answer holds: rated 4 or better, or found correct; null where it is unscored.
create macro macros.holds(rating, verdict) as coalesce(macros.is_compliant(rating), verdict = 'correct')
