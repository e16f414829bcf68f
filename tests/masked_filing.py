"""An invented annual report whose Item 7 has prose and tables to hide figures in."""

from __future__ import annotations

from tasks.filings.reader.filing import ParsedFiling, parse_filing

SALES = """
<table>
<tr><td></td><td colspan="2">2023</td><td colspan="2">2022</td></tr>
<tr><td>Net sales</td><td>$</td><td>4,100</td><td>$</td><td>3,900</td></tr>
<tr><td>Cost of sales</td><td></td><td>3,010</td><td></td><td>2,840</td></tr>
<tr><td>Gross profit</td><td></td><td>1,090</td><td></td><td>1,060</td></tr>
<tr><td>Gain (loss) on sale of mills</td><td></td><td>(37</td><td>)</td><td>12</td></tr>
<tr><td>Gross margin</td><td></td><td>26.6</td><td>%</td><td>27.2</td></tr>
</table>
"""
CASH = """
<table>
<tr><td></td><td>2023</td><td>2022</td></tr>
<tr><td>Cash provided by operating activities</td><td>617</td><td>544</td></tr>
<tr><td>Cash used for dye works</td><td>(640)</td><td>(20)</td></tr>
</table>
"""
HTML = f"""<html><body>
<p>WEXCOMBE MILLS, INC.</p><p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13 for the fiscal \
year ended December 31, 2023</p>
<p>Item 1. Business</p>
<p>Wexcombe Mills spins and dyes wool for carpet makers, \
sells to distributors in most states of the Union, and had
310 full-time employees at the end of the year. Price and delivery times decide most orders for \
carpet wool, and
imports have taken a larger share of the market in the last decade than all four larger mills \
together.</p>
<p>Item 6. Selected Financial Data</p><p>Not required.</p>
<p>Item 7. Management's Discussion and Analysis of Financial Condition and Results of Operations</p>
<p><b>Results of Operations</b></p>
<p>Net sales were $4,100 thousand in 2023, compared with $3,900 thousand in 2022. \
Customers in Canada took 23% of the
wool that was shipped. The following table shows the results of the last two years (in \
thousands):</p>
{SALES}
<p>(1) The loss of $37 thousand is on the sale of the Tarn mill.</p>
<p>Gross profit increased by $30 thousand in 2023. In November 2023, \
Wexcombe Mills bought a dye works, as agreed in
the last three months of 2022. Gross margin was 26.6% of net sales, against 27.2% in 2022, \
and margin of 26.6% is what
we plan for.</p>
<p><b>Liquidity</b></p>
<p>Cash provided by operating activities rose to $617 thousand. \
Operations gave $617 thousand of cash, as shown in the
following table, in thousands:</p>
{CASH}
<p>Item 8. Financial Statements and Supplementary Data</p>
<p>The statements follow. Net sales were $4,100 thousand.</p>
<table><tr><td></td><td>2023</td><td>2022</td></tr><tr><td>Wool</td><td>90</td><td>80</td></tr>
<tr><td>Dyes</td><td>12</td><td>14</td></tr></table>
</body></html>"""


def masked_filing(*changes: tuple[str, str]) -> ParsedFiling:
    """The report as ingest reads it, with words of it replaced by others."""
    html = HTML
    for before, after in changes:
        assert html.count(before) == 1
        html = html.replace(before, after)
    return parse_filing(html.encode(), "wexcombe-2023.htm")
