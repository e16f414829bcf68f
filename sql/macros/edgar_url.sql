-- The page of a filing on EDGAR; null where the company's number is not known, or the filing's is no accession number.
create macro macros.edgar_url(cik, filing_id) as
    case
        when regexp_full_match(filing_id, '\d{10}-\d{2}-\d{6}') and regexp_full_match(cik, '\d{1,10}')
            then printf(
                'https://www.sec.gov/Archives/edgar/data/%s/%s/%s-index.htm',
                ltrim(cik, '0'), replace(filing_id, '-', ''), filing_id
            )
    end
