-- One row per pair of FAITH and place: what shows its answer, besides its citations, in words.
--
-- Of a figure that cells of the tables give: the operation and what it gives, then each cell; the row and the column are
-- those of the table as a model is shown it, from 0. Of a figure that a panel was asked about: each model's vote.
with spans as (

    select
        release,
        suite,
        span_id,
        qa_pair_id
    from raw.masked_spans
    where qa_pair_id is not null

),

proofs as (

    select
        spans.release,
        spans.suite,
        spans.qa_pair_id,
        derivations.operation,
        derivations.scenario,
        derivations.value,
        derivations.evidence,
        derivations.operands
    from spans
    inner join raw.derivations as derivations using (release, suite, span_id)
    where derivations.place = 0

),

lines as (

    select
        release,
        suite,
        qa_pair_id,
        'Proof' as heading,
        0 as place,
        printf('%s (%s) gives %s; evidence %.2f', replace(operation, '_', ' '), scenario, value, evidence) as said
    from proofs
    union all
    select
        release,
        suite,
        qa_pair_id,
        'Proof',
        place,
        printf(
            'table %d, row %d, column %d: "%s", which is %s',
            operands[place].table_index,
            operands[place].row,
            operands[place].column,
            operands[place].text,
            operands[place].value
        )
    from (
        select
            *,
            unnest(range(1, len(operands) + 1)) as place
        from proofs
    )
    union all
    select
        spans.release,
        spans.suite,
        spans.qa_pair_id,
        'Votes',
        row_number() over (partition by spans.release, spans.suite, spans.qa_pair_id order by votes.model),
        concat_ws(
            ': ',
            votes.model,
            case
                when votes.is_answerable then 'the tables give the figure'
                when not votes.is_answerable then 'the tables do not give the figure'
                else votes.unread_reason
            end
        )
    from spans
    inner join raw.votes as votes using (release, suite, span_id)

),

faith as (

    select
        release,
        suite,
        qa_pair_id,
        heading,
        place,
        said
    from lines

)

select * from faith
