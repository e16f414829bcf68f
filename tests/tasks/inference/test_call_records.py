"""Records of a step's calls."""

from __future__ import annotations

from tasks.inference.call_records import OperationRecord
from tests.kept import FIVE, echo, rendered
from tests.scripted import response_to


def test_rows_are_taken_once_and_numbered_on() -> None:
    calls = rendered(FIVE)
    record, whole = OperationRecord(), OperationRecord()
    for call in calls:
        whole.add(call, response_to(call, echo(call)))
    taken: dict[str, list[object]] = {}
    for some in (calls[:2], calls[1:]):  # one is asked again
        for call in some:
            record.add(call, response_to(call, echo(call)))
        for table, rows in record.take_rows():
            taken.setdefault(table, []).extend(rows)
        assert (record.prefixes, record.requests, record.responses) == ({}, {}, {})
    assert taken == dict(whole.take_rows())


def test_a_failure_is_kept_when_its_row_is_taken() -> None:
    """It is repeated if the call is asked again: no cache would."""
    one, other = rendered(FIVE)[:2]
    record, failure = OperationRecord(), response_to(one, None)
    record.add(one, failure)
    record.add(other, response_to(other, echo(other)))
    assert len([*record.take_rows()]) == 3
    assert record.responses == {one.request.request_id: failure}
    record.add(one, failure)
    assert [rows for _, rows in record.take_rows()] == [[], []]
