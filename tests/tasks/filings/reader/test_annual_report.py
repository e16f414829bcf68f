"""Items that only refer to the annual report to shareholders are no contexts."""

from __future__ import annotations

import pytest

from tasks.suites.shared.contexts import refers_to_annual_report


@pytest.mark.parametrize(
    "text",
    [
        "Item 7. Reported on pages 32-43 (and notes 2 and 3) of the Annual Report to Share Owners.",
        "The required information appears in Exhibit 13.",
        "The information is set forth in the 1996 Annual Report under “Financial Review”.",
    ],
)
def test_recognises_references(text: str) -> None:
    assert refers_to_annual_report(text)


@pytest.mark.parametrize(
    "text",
    [
        "Item 7. Management's Discussion. Net sales rose 4% to $512.4 million.",
        "The information is contained in our annual report under Section 13 for 1995.",
        "The net loss was $12,345, as shown in the financial statements. Since its last annual "
        "report the Company has sought a merger.",
    ],
)
def test_text_of_its_own_is_no_reference(text: str) -> None:
    assert not refers_to_annual_report(text)
