"""Settings as a flow parameter, described in the Prefect UI's form.

Prefect makes the form from a JSON schema, which has no descriptions of a dataclass's fields. They
come from the docstring of `RunSettings`, as on the command line.
"""

from __future__ import annotations

from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

from docstring_parser import parse
from pydantic import AfterValidator, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue

from flows.shown import is_deployed
from tasks.pipeline.resolved import paths_of
from tasks.pipeline.settings import (
    BOUNDS,
    NEVER_EMPTY,
    RELEASE_NAME,
    RefreshSettings,
    RunSettings,
    WrongSettings,
    flag,
)
from tasks.suites.registry import SUITES, load_suite


class _DescribedByDocstring:
    """Adds the docstring's descriptions to a dataclass's JSON schema."""

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
            # The form shows the title; people know the name of the command line's option.
            field["title"] = parameter.arg_name
            _limit(field, parameter.arg_name)
        schema["properties"]["suite"]["enum"] = [*SUITES]
        schema["properties"]["options"] |= {"anyOf": [_options_form(name) for name in SUITES]}
        schema["properties"]["roles"] |= {"anyOf": [_roles_form(name) for name in SUITES]}
        return reference


class Setting:
    """Gives a flow's own parameter the limits of a setting."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get_pydantic_json_schema__(
        self, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        _limit(schema, self.name)
        return schema


def _limit(schema: JsonSchemaValue, name: str) -> None:
    """Have the form refuse the values that `RunSettings` refuses."""
    for kind in schema.get("anyOf", [schema]):
        if kind.get("type") in ("integer", "number") and name in BOUNDS:
            least, most = BOUNDS[name]
            kind |= {"minimum": least} if most is None else {"minimum": least, "maximum": most}
        elif kind.get("type") == "string" and name in NEVER_EMPTY:
            kind["minLength"] = 1
        elif kind.get("type") == "string" and name == "release":
            kind["pattern"] = f"^{RELEASE_NAME}$"
        elif kind.get("type") == "array" and name == "model":
            kind["minItems"] = 1


def _options_form(suite: str) -> JsonSchemaValue:
    """Describe a suite's own options."""
    found = load_suite(suite)
    return {**found.options.model_json_schema(), "title": f"Options of {found.title}"}


def _roles_form(suite: str) -> JsonSchemaValue:
    """Describe the models that a suite asks while it is built."""
    found = load_suite(suite)
    return {
        "title": f"Models of {found.title}",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            role.name: {
                "type": "array",
                "items": {"type": "string"},
                "title": role.name,
                "description": role.help,
                "default": list(role.default),
            }
            for role in found.roles
        },
    }


def check_full_paths(run: RunSettings) -> RunSettings:
    """Return a run's settings; refuse relative paths in a deployed run.

    Raises:
        WrongSettings: a deployed run has a relative path.
    """
    for name, path in paths_of(run).items() if is_deployed() else ():
        # only a lake's folder may begin with ~
        if not (Path(path).expanduser() if name == "lake" else Path(path)).is_absolute():
            or_s3 = " or s3://bucket/prefix" if name == "lake" else ""
            raise WrongSettings(
                f"{flag(name)} is the relative path '{path}'. A deployed run starts in a "
                "temporary folder, which is removed when it ends. Give the full path, such as "
                f"/data/{Path(path).name}{or_s3}."
            )
    return run


SuiteName = Annotated[str, WithJsonSchema({"type": "string", "enum": [*SUITES]})]
Run = Annotated[RunSettings, _DescribedByDocstring(), AfterValidator(check_full_paths)]
Refresh = Annotated[RefreshSettings, _DescribedByDocstring(), AfterValidator(check_full_paths)]
