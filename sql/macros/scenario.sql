-- The scenario that a mask type's letter stands for; `not stated` without one.
create macro macros.scenario(letter) as
    coalesce(map {'A': 'direct lookup', 'B': 'comparative', 'C': 'bivariate', 'D': 'multivariate'}[letter], 'not stated')
