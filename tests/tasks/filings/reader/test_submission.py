"""SGML wrappers: the annual report is found among a submission's documents."""

from __future__ import annotations

import pytest

from tasks.filings.reader.files import Rejected
from tasks.filings.reader.submission import read_submission

HEADER = """<SEC-DOCUMENT>0000000001-99-000001.txt : 19990301
<SEC-HEADER>0000000001-99-000001.hdr.sgml : 19990301
ACCESSION NUMBER:\t\t0000000001-99-000001
CONFORMED SUBMISSION TYPE:\t10-K
CONFORMED PERIOD OF REPORT:\t19981231

FILER:

\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tEXAMPLE WORKS INC
\t\tCENTRAL INDEX KEY:\t\t\t0000000001
</SEC-HEADER>
"""
PEM = """-----BEGIN PRIVACY-ENHANCED MESSAGE-----
Proc-Type: 2001,MIC-CLEAR
MIC-Info: RSA-MD5,RSA,
 abcdef==

"""


def document(form: str, text: str) -> str:
    return f"<DOCUMENT>\n<TYPE>{form}\n<SEQUENCE>1\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"


@pytest.mark.parametrize("before", ["", PEM])
def test_chooses_the_report_by_type_without_exhibits(before: str) -> None:
    source = before + HEADER
    source += (
        document("EX-27", "<ARTICLE> 5")
        + document("10-K405", "the report")
        + document("EX-13", "annual report")
    )
    source += document("GRAPHIC", "begin 644 logo.gif\nM1TE&.#EA\n") + document(
        "EX-101.INS", "<xbrl/>"
    )
    submission = read_submission(source)
    assert submission.text.strip() == "the report"
    assert submission.form == "10-K405"
    assert submission.header["COMPANY CONFORMED NAME"] == "EXAMPLE WORKS INC"
    assert submission.header["CENTRAL INDEX KEY"] == "0000000001"
    assert submission.header["ACCESSION NUMBER"] == "0000000001-99-000001"


@pytest.mark.parametrize(
    "code", ["<PDF>\nbegin 644 a.pdf\nM1", "begin 644 a.pdf\nM1", "\n<pdf>\nbegin 600 b\nM1"]
)
def test_a_document_in_code_is_not_the_report(code: str) -> None:
    source = HEADER + document("10-K", code)
    assert read_submission(source + document("10-K", "the report")).text.strip() == "the report"
    with pytest.raises(Rejected, match=r"10-K \(in code\)"):
        read_submission(source)


def test_rejects_a_submission_without_an_annual_report() -> None:
    with pytest.raises(Rejected) as rejected:
        read_submission(
            HEADER.replace("TYPE:\t10-K", "TYPE:\t10-Q")
            + document("10-Q", "quarter")
            + document("EX-27", "")
        )
    assert rejected.value.reason == "not a 10-K"
    assert "10-Q" in rejected.value.detail
