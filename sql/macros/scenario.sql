-- The scenario that a reply of FAITH names, by its letter or in words; 'another' for anything else, 'none' where it names none.
create macro macros.scenario(said) as
    case
        when coalesce(trim(said), '') = '' then 'none'
        when macros.names_scenario(said, 'A', 'direct[ _-]lookup') then 'direct lookup'
        when macros.names_scenario(said, 'B', 'comparative') then 'comparative'
        when macros.names_scenario(said, 'C', 'bivariate') then 'bivariate'
        when macros.names_scenario(said, 'D', 'multivariate') then 'multivariate'
        else 'another'
    end
