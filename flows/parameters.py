"""Settings as a parameter of a flow: the Prefect UI's form tells what each field means.

The form is made from a JSON schema, in which a dataclass's fields have no descriptions; they stand, once, in
the docstring of `RunSettings`, where the command line finds them too.
"""

from __future__ import annotations

from inspect import getdoc
from typing import Annotated, Any

from docstring_parser import parse
from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue

from tasks.core.settings import RefreshSettings, RunSettings


class _DescribedByDocstring:
    """Gives each property of a dataclass's JSON schema its line of the docstring."""

    def __get_pydantic_json_schema__(
        self, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        reference = handler(core_schema)
        schema = handler.resolve_ref_schema(reference)
        told = parse(getdoc(RunSettings) or "")
        schema["description"] = told.short_description or ""
        for parameter in told.params:
            field = schema["properties"][parameter.arg_name]
            field["description"] = parameter.description
            # The form heads a field with its title; people know them as the command line's options.
            field["title"] = parameter.arg_name
        return reference


Run = Annotated[RunSettings, _DescribedByDocstring()]
Refresh = Annotated[RefreshSettings, _DescribedByDocstring()]
