-- One row per two candidates (a model in a release), judge, metric, slice and group of filings: what the group adds to both means.
--
-- `paired` names a relation with a row per unit that both have a score for: release and model are the one candidate,
-- other_release and other_model the other. n counts the units; n_only_model and n_only_other are those that only the
-- one or only the other candidate got right. Slices are the whole, and those that the units name as `cut` and
-- `other_cut`: the two that the benchmark was made for. Comparing within each of the others would be thousands of tests that nobody asked for, each
-- on a few filings; their intervals stand in the metrics.
create macro macros.paired_sums(paired) as table (

    select
        suite,
        release,
        other_release,
        judge,
        metric,
        case
            when grouping(cut) = 0 then cut
            when grouping(other_cut) = 0 then other_cut
            else 'overall'
        end as slice,
        model,
        other_model,
        group_number,
        count(*) as n,
        sum(score) as total,
        sum(other_score) as other_total,
        count(*) filter (where score = 1 and other_score = 0) as n_only_model,
        count(*) filter (where score = 0 and other_score = 1) as n_only_other
    from query_table(paired)
    group by grouping sets (
        (suite, release, other_release, judge, metric, model, other_model, group_number),
        (suite, release, other_release, judge, metric, model, other_model, group_number, other_cut),
        (suite, release, other_release, judge, metric, model, other_model, group_number, cut)
    )
    -- a unit may lie in no slice of a kind
    having (grouping(cut) = 1 or cut is not null) and (grouping(other_cut) = 1 or other_cut is not null)

)
