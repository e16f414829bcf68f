-- One row per derivation that gives a ratio where the figure is none, or the reverse, or that reads a cell of the wrong kind.
--
-- A percentage is calculated of amounts, or read where the tables say percent: at the cell, in its row, in its column's
-- words, at a number over it with no currency since, or, where the table has no currency, before the table or in the
-- labels over the cell. What is no ratio is never read from a cell with a sign of one. Left out is a published figure whose truth is of another kind than itself:
-- either may be the one that is derived.
with derivations as materialized (

    select
        derivations.release,
        derivations.suite,
        derivations.derivation_id,
        derivations.operation,
        spans.masked_text,
        spans.unit,
        spans.unit in ('percent', 'bps') as is_ratio,
        case
            when operation = 'basis_points' then 'bps'
            when operation in ('percent_change', 'percent_change_of_sums', 'share')
                then 'percent'
        end as calculated,
        -- what such an operation gives is what its cells are
        operation not in ('percent_change', 'percent_change_of_sums') and operation not like 'share%' as keeps_kind
    from raw.derivations as derivations
    inner join raw.masked_spans as spans using (release, suite, span_id)
    where
        spans.uid is null
        or regexp_matches(spans.truth, '(?i)%|per\s?cent|\bbps\b|points?') = is_ratio
        -- a percentage whose truth is stated as a bare ratio
        or (spans.unit = 'percent' and regexp_full_match(spans.truth, '[-\d.]+'))

),

-- materialized, as what it is made of: each is asked more than once, and costly to plan
operands as materialized (

    select
        operands.*,
        derivations.is_ratio,
        derivations.keeps_kind,
        regexp_matches(
            operands.text || if(regexp_full_match(trim(operands.after), '\)?\s*%?\)?'), operands.after, ''),
            '(?i)%|pts?|points|bps'
        ) as has_sign
    from faith.derivation_operands as operands
    inner join derivations using (release, suite, derivation_id)

),

unsigned as materialized (

    select * from operands
    where is_ratio and keeps_kind and not has_sign

),

columns as (

    select
        unsigned.release,
        unsigned.suite,
        unsigned.derivation_id,
        unsigned.place,
        shown.row_index,
        shown.cells[1] as label,
        shown.cells[column_index + 1] as cell,
        regexp_full_match(
            trim(cell), '[^\pL\d]*[\d.,]+\s*\)?\s*(?i:%|pts?\.?|points|bps)\s*\)?(?:\s*(?:\([\da-z]\)|\*+))?'
        )
        or (
            regexp_matches(cell, '\d') and regexp_full_match(trim(shown.cells[column_index + 2]), '\)?\s*%\)?')
        ) as is_percent,
        regexp_full_match(trim(cell), '[^\pL\d]*[$€£¥][^\pL\d]*[\d.,]+\s*\)?') as is_money
    from unsigned
    inner join faith.shown_rows as shown
        on unsigned.release = shown.release
        and unsigned.suite = shown.suite
        and unsigned.context_id = shown.context_id
        and unsigned.table_index = shown.table_index
        and unsigned.row_index >= shown.row_index

),

over_them as (

    select
        release,
        suite,
        derivation_id,
        place,
        string_agg(cell, ' ') filter (where not is_percent) as words,
        string_agg(label, ' ') as labels,
        coalesce(
            max(row_index) filter (where is_percent) > coalesce(max(row_index) filter (where is_money), -1), false
        ) as is_below_percent
    from columns
    group by all

),

captions as (

    select
        release,
        suite,
        context_id,
        unnest(regexp_extract_all(text, '(?m)^### Table (\d+): ', 1))::bigint as table_index,
        unnest(string_split_regex(text, '(?m)^### Table \d+: ')[2:]) as written
    from raw.contexts
    where kind = 'tables'

),

misread as (

    select (unsigned.release, unsigned.suite, unsigned.derivation_id)
    from unsigned
    inner join over_them using (release, suite, derivation_id, place)
    inner join captions using (release, suite, context_id, table_index)
    where
        not over_them.is_below_percent
        and not regexp_matches(
            concat_ws(
                ' ',
                array_to_string(unsigned.cells, ' '),
                over_them.words,
                if(
                    regexp_matches(substring(captions.written, strpos(captions.written, chr(10))), '[$€£]'),
                    null,
                    concat_ws(' ', split_part(captions.written, chr(10), 1), over_them.labels)
                )
            ),
            '(?i)%|\bpercent|margin rate|effective (?:income )?tax rate'
        )

),

signed as (

    select (release, suite, derivation_id) from operands
    where has_sign and not is_ratio

),

described as (

    select
        release,
        suite,
        derivation_id,
        operation,
        masked_text,
        unit,
        case
            when calculated != unit then 'it gives a ratio of another kind, or no ratio is asked'
            when (release, suite, derivation_id) in (from misread)
                then 'it reads a ratio where the tables say nothing of percent'
            when (release, suite, derivation_id) in (from signed) then 'it reads what is no ratio from a cell that is one'
        end as what_is_wrong
    from derivations

)

select * from described
where what_is_wrong is not null
