-- The scenario that a reply of FAITH names, by its letter or in words; 'another' for anything else, 'none' where it names none.
create macro macros.scenario(said) as
    case upper(left(trim(said), 1))
        when 'A' then 'direct lookup'
        when 'B' then if(lower(trim(said)) like 'biv%', 'bivariate', 'comparative')
        when 'C' then if(lower(trim(said)) like 'com%', 'comparative', 'bivariate')
        when 'D' then if(lower(trim(said)) like 'dir%', 'direct lookup', 'multivariate')
        when 'M' then 'multivariate'
        else if(coalesce(trim(said), '') = '', 'none', 'another')
    end
