-- One row per derivation that is not at its place: they count from 0, each with no more evidence than the one before it.
--
-- Evidence is a share, and what of the sentence names the cells is a list of words: nothing else could be compared.
with ranked as (

    select
        *,
        row_number() over derivations_of_span - 1 as expected_place,
        lag(evidence) over derivations_of_span as better
    from raw.derivations
    window derivations_of_span as (partition by release, suite, span_id order by place)

),

described as (

    select
        release,
        suite,
        derivation_id,
        place,
        evidence,
        named_by,
        case
            when place != expected_place then 'its place is not the next'
            when not coalesce(evidence between 0 and 1, false) then 'its evidence is no share'
            when evidence > better then 'it has more evidence than the one before it'
            when not coalesce(
                -- cast only where it is JSON
                case when json_valid(named_by) then json_type(named_by) = 'ARRAY' else false end, false
            )
                then 'what names its cells is no list'
        end as what_is_wrong
    from ranked

)

select * from described
where what_is_wrong is not null
