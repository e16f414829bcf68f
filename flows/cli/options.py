"""Settings of a run as options, with those of one suite."""

from __future__ import annotations

import inspect
import os
import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, field, fields, make_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from tasks.pipeline.settings import RefreshSettings, RunSettings, WrongSettings, flag
from tasks.suites.registry import SUITES, load_suite

DEFAULTS = RunSettings()
REFRESH_DEFAULTS = RefreshSettings()
Settings = Annotated[RunSettings, Parameter(name="*")]
Refresh = Annotated[RefreshSettings, Parameter(name="*")]
AsJson = Annotated[bool, Parameter(help="Print JSON instead of a table.")]

_NESTED = ("roles", "options")
# Options that a verb takes, as a preset or a variable may set them, but does not read. Its help
# leaves them out.
_OF_EDGAR = ("companies", "forms", "sample", "sectors", "contact", "edgar_url", "new_only")
_OF_INGEST = ("filings", *_OF_EDGAR, "dataset", "limit", "encoding")
_OF_JUDGE = ("judge", "judge_repeats", "attacks")
_OF_CALLS = ("budget", "patience", "fresh", "retry_failed")
_UNREAD = {
    "ingest": ("model", *_OF_JUDGE, "models_file", "prompts", *_OF_CALLS),
    "build": (*_OF_EDGAR, "model", *_OF_JUDGE),
    "infer": (*_OF_INGEST, *_OF_JUDGE),
    "judge": _OF_INGEST,
    "import_answers": (*_OF_INGEST, "model", *_OF_JUDGE, *_OF_CALLS),
    "score": (*_OF_INGEST, "model", *_OF_JUDGE, "prompts", *_OF_CALLS),
}
# An option of these takes one value at a time: what follows may be a file.
_WITH_FILES = ("export_batch", "import_answers")


@cache
def flat_settings(suite: str, base: type = RunSettings, verb: str = "run") -> type:
    """Make a dataclass with a field for each option of a suite.

    Args:
        base: `RunSettings`, or a command's variant of it.
        verb: command whose help shows the options that it reads.
    """
    known = load_suite(suite)
    hints = typing.get_type_hints(base)
    group = Group(f"{known.title}'s own", sort_key=1)
    takes_many = verb not in _WITH_FILES
    made: list[tuple[str, Any, Any]] = []
    for each in fields(base):
        if each.name not in _NESTED:
            is_shown = each.name not in _UNREAD.get(verb, ())
            kind: Any = Annotated[
                hints[each.name], Parameter(show=is_shown, consume_multiple=takes_many)
            ]
            made.append((each.name, kind, field(default=each.default)))
    for role in known.roles:
        one_or_more: Any = str if role.most == 1 else tuple[str, ...]
        kind = Annotated[
            one_or_more, Parameter(help=role.help, group=group, consume_multiple=takes_many)
        ]
        default = role.default[0] if role.most == 1 else role.default
        made.append((role.name, kind, field(default=default)))
    for name, option in known.options.model_fields.items():
        help_text = option.description or ""
        kind = Annotated[
            option.annotation, Parameter(help=help_text, group=group, consume_multiple=takes_many)
        ]
        made.append((name, kind, field(default=option.default)))
    return make_dataclass(
        base.__name__,
        made,
        frozen=True,
        kw_only=True,
        namespace={"__doc__": inspect.getdoc(base), "__module__": __name__},
    )


def run_settings(flat: Any, suite: str, base: type = RunSettings) -> Any:
    """Turn parsed options into settings, without a suite's own defaults.

    Raises:
        WrongSettings: a value is invalid.
    """
    from tasks.pipeline.resolved import own_options, settings_of

    defaults = {
        each.name: None if each.default is MISSING else each.default
        for each in fields(flat_settings(suite))
    }
    own = own_options(load_suite(suite))
    given = _values(flat)
    kept = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in given.items()
        if name not in own or value != defaults[name]
    }
    made = settings_of(**{**kept, "suite": given["suite"]})
    return made if base is RunSettings else base(**_values(made))


def takes_settings(command: Callable[..., None]) -> bool:
    """Tell whether a command takes a run's settings, and so a suite's options."""
    return "settings" in inspect.signature(command).parameters


def for_suite(command: Callable[..., None], suite: str) -> Callable[..., None]:
    """Give a command that takes `settings` the options of one suite."""
    if not takes_settings(command):
        return command
    signature = inspect.signature(command, eval_str=True)
    parameter = signature.parameters["settings"]
    base = typing.get_args(parameter.annotation)[0]
    flat = flat_settings(suite, base, command.__name__)

    def called(*arguments: Any, **named: Any) -> None:
        bound = shown.bind(*arguments, **named)
        bound.apply_defaults()
        bound.arguments["settings"] = run_settings(bound.arguments["settings"], suite, base)
        command(*bound.args, **bound.kwargs)

    replaced = parameter.replace(annotation=Annotated[flat, Parameter(name="*")], default=flat())
    shown = signature.replace(
        parameters=[
            replaced if each is parameter else each for each in signature.parameters.values()
        ]
    )
    called.__signature__ = shown  # type: ignore[attr-defined]
    called.__annotations__ = {name: each.annotation for name, each in shown.parameters.items()}
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    return called


def suite_named(tokens: Sequence[str], preset: Callable[[str], dict[str, Any]]) -> str:
    """Return the suite that an option, environment variable or preset selects.

    Without a known name, that is the default suite.

    Args:
        preset: reads the options of a preset.
    """
    named = _value_of("--suite", tokens) or os.environ.get("TENKBENCH_SUITE")
    of_preset = _value_of("--preset", tokens) or os.environ.get("TENKBENCH_PRESET")
    if named is None and of_preset is not None:
        try:
            named = preset(of_preset).get("suite")
        except WrongSettings:
            named = None  # the command reports it when it reads the preset
    return named if named in SUITES else DEFAULTS.suite


def refuse_other_suites_options(
    suite: str, tokens: Sequence[str], command: Callable[..., None] | None = None
) -> None:
    """Refuse options that only another suite reads.

    Args:
        command: what is run, if it takes settings.

    Raises:
        WrongSettings: the message names the suite that reads them.
    """
    from tasks.pipeline.resolved import own_options, settings_of

    own = set(own_options(load_suite(suite))) | {each.name for each in fields(RunSettings)}
    flags = set() if command is None else {*inspect.signature(command).parameters} - {"settings"}
    known = own | {"help"} | flags
    given = {token.partition("=")[0] for token in tokens if token.startswith("--")}
    if given <= {flag(name) for name in known}:  # the other suites need not be imported
        return
    others = {name for other in SUITES for name in own_options(load_suite(other))} - own
    if found := sorted(name for name in others if flag(name) in given):
        settings_of(suite=suite, **dict.fromkeys(found))


def _values(settings: Any) -> dict[str, Any]:
    return {each.name: getattr(settings, each.name) for each in fields(settings)}


def _value_of(option: str, tokens: Sequence[str]) -> str | None:
    for place, token in enumerate(tokens):
        if token.startswith(f"{option}="):
            return token.partition("=")[2]
        if token == option and place + 1 < len(tokens):
            return tokens[place + 1]
    return None
