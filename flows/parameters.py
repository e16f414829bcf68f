"""Settings as a flow parameter: the Prefect UI's form, and full paths in a deployed run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue

from flows.shown import is_deployed
from tasks.pipeline.resolved import paths_of
from tasks.pipeline.settings import RunSettings, WrongSettings, flag
from tasks.suites.registry import SUITES, load_suite


class _SuitesForms:
    """Adds the suites' names, options and roles to the JSON schema of the settings."""

    def __get_pydantic_json_schema__(
        self, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        reference = handler(core_schema)
        settings = handler.resolve_ref_schema(reference)
        settings["required"] = ["lake"]  # a deployed run has no folder of its own to keep one in
        fields = settings["properties"]
        one = "|".join(SUITES)
        fields["suite"] |= {
            "pattern": f"^(all|({one})(, *({one}))*)$",
            "anyOf": [{"title": "one", "enum": [*SUITES, "all"]}, {"title": "several"}],
        }
        for field, form_of in (("options", _options_form), ("roles", _roles_form)):
            forms = [form_of(name) for name in SUITES]
            known: dict[str, JsonSchemaValue] = {}
            for name, form in (pair for each in forms for pair in each["properties"].items()):
                known.setdefault(name, {"anyOf": []})["anyOf"].append(form)
            several = {"title": "Of several suites", "type": "object", "properties": known}
            # without a default, Prefect's check would replace `anyOf`
            fields[field] |= {"anyOf": [*forms, several], "default": {}}
            fields[field]["propertyNames"] = {"enum": sorted(known)}  # for its message
        return reference


def _options_form(suite: str) -> JsonSchemaValue:
    """Describe a suite's own options."""
    loaded = load_suite(suite)
    return {**loaded.options.model_json_schema(), "title": f"Options of {loaded.title}"}


def _roles_form(suite: str) -> JsonSchemaValue:
    """Describe the models that a suite asks while it is built."""
    loaded = load_suite(suite)
    return {
        "title": f"Models of {loaded.title}",
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
            for role in loaded.roles
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


Run = Annotated[RunSettings, _SuitesForms(), AfterValidator(check_full_paths)]
