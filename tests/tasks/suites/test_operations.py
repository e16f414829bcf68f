"""What every operation of every suite has: its own inputs, and an enforceable schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from tasks.inference import prompts
from tasks.inference.operation import Operation
from tasks.suites.registry import SUITES, load_suite

OPERATIONS = [
    pytest.param(operation, id=f"{suite}.{operation.name}")
    for suite in SUITES
    for operation in load_suite(suite).operations.values()
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_template_uses_exactly_the_inputs_of_its_operation(
    operation: Operation[Any, Any],
) -> None:
    fields = [field.name for field in dataclasses.fields(operation.inputs)]
    assert sorted(prompts.inputs_of(operation.template)) == sorted(fields)
    filled = prompts.fill(operation.template, {field: f"<{field}>" for field in fields})
    assert "{{" not in filled.prefix + filled.suffix


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_schema_names_all_keys_and_demands_them(operation: Operation[Any, Any]) -> None:
    """OpenAI's strict schemas allow no optional or unnamed keys."""

    def check(schema: Any) -> None:
        if isinstance(schema, Mapping):
            if "properties" in schema:
                assert set(schema["required"]) == set(schema["properties"])
                assert schema["additionalProperties"] is False
            for inner in schema.values():
                check(inner)

    check(operation.schema)
