"""Special tags of a source."""

from __future__ import annotations

import pytest

from tasks.filings.reader.html_tags import marks_in, split_runs


@pytest.mark.parametrize(
    ("source", "marks"),
    [
        ("<p>Revenue rose.</p>", set()),
        ("", set()),
        ("a <pre>drawn</pre> table", {"<pre"}),
        ("a <PRE>drawn</PRE> table", {"<pre"}),
        ("<ix:nonFraction id='a'>1</ix:nonFraction><ix:header></ix:header>", {"<ix:"}),
        ("<IX:HEADER></IX:HEADER>", {"<IX:"}),
        ("<!-- Field: Page --><!-- and another -->", {"<!--"}),
        ("<script>a < b</script>", {"<script"}),
        ("<STYLE>p {}</STYLE>", {"<style"}),
        ("</pre></script>--></ix:header> pre script", set()),  # ends alone and words are no marks
        ("<!-- a --><pre>b</pre><script></script><ix:a>", {"<!--", "<pre", "<script", "<ix:"}),
    ],
)
def test_marks_are_the_special_tags_of_a_source(source, marks):
    assert marks_in(source) == marks


@pytest.mark.parametrize(
    "source",
    [
        "<p>plain</p>",
        "<p>a<!-- <p>not shown</p> -->b</p>",
        "<script>var a = '<p>';</script><p>b</p>",
        "<ix:header><p>hidden</p></ix:header><p><ix:nonFraction>1</ix:nonFraction></p>",
    ],
)
def test_splits_alike_with_and_without_given_marks(source):
    assert split_runs(source, marks_in(source)) == split_runs(source)
