-- The scenario that a reply of FAITH names, by its letter or in words; 'another' for anything else, 'none' where it names none.
create macro faith.scenario(said) as
    case
        when coalesce(trim(said), '') = '' then 'none'
        when faith.names_scenario(said, 'A', 'direct[ _-]lookup') then 'direct lookup'
        when faith.names_scenario(said, 'B', 'comparative') then 'comparative'
        when faith.names_scenario(said, 'C', 'bivariate') then 'bivariate'
        when faith.names_scenario(said, 'D', 'multivariate') then 'multivariate'
        else 'another'
    end
