-- The division of the Standard Industrial Classification that a four-digit code lies in; 'unknown' without a code.
create macro macros.sector(sic) as
    case
        when sic is null then 'unknown'
        when sic < '1000' then 'agriculture'
        when sic < '1500' then 'mining'
        when sic < '1800' then 'construction'
        when sic < '2000' then 'unknown'
        when sic < '4000' then 'manufacturing'
        when sic < '5000' then 'transportation and utilities'
        when sic < '5200' then 'wholesale'
        when sic < '6000' then 'retail'
        when sic < '6800' then 'finance'
        when sic < '7000' then 'unknown'
        when sic < '9000' then 'services'
        else 'public administration and other'
    end
