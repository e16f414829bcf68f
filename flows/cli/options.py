"""Settings of a run as options, with those of one suite."""

from __future__ import annotations

import inspect
import os
import typing
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from flows.cli.views.console import print_note
from tasks.pipeline.settings import SHARED, RunSettings, WrongSettings
from tasks.suites.registry import SUITES, UnknownSuite, load_suite, suites_named

DEFAULTS = RunSettings()
Settings = Annotated[RunSettings, Parameter(name="*")]
AsJson = Annotated[bool, Parameter(help="Print JSON instead of a table.")]
Verbose = Annotated[bool, Parameter(help="Print a line for each step that ends.")]
LakeUrl = Annotated[str, Parameter(help="Folder of the lake, or s3://bucket/prefix.")]
OneRelease = Annotated[str | None, Parameter(help="Release; optional if there is only one.")]
OneSuite = Annotated[
    str | None, Parameter(help="Benchmark [default: that of `run`, or else the release's first].")
]

_NESTED = ("roles", "options")


@cache
def options_of(suite: str, *, takes_many: bool = True) -> dict[str, inspect.Parameter]:
    """Return the options of a suite, or of several, as parameters of a command, by name.

    Of several, an option is given to those that have it; None leaves each its own default.

    Args:
        takes_many: whether several values may follow an option; False if files may follow it.
    """
    suites, options = list(map(load_suite, suites_named(suite))), dict[str, inspect.Parameter]()
    is_one = len(suites) == 1

    def add(name: str, kind: Any, default: Any, help_text: str | None, **look: Any) -> None:
        shown = Parameter(help=help_text, consume_multiple=takes_many, **look)
        if look and not is_one:
            kind, default = kind | None, None
        options[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown]
        )

    kinds = typing.get_type_hints(RunSettings)
    for name, setting in SHARED.items():
        if name not in _NESTED:
            add(name, kinds[name], setting.default, setting.description)
    group = Group(f"{suites[0].title}'s own" if is_one else "Options of single suites", sort_key=1)
    for role in chain.from_iterable(known.roles for known in reversed(suites)):
        takes_one = is_one and role.models[1] == 1
        kind, default = (str, role.default[0]) if takes_one else (tuple[str, ...], role.default)
        add(role.name, kind, default, role.help, group=group)
    for known in reversed(suites):  # the first one's words stand
        for name, option in known.options.model_fields.items():
            add(name, option.annotation, option.default, option.description, group=group)
    return options


def run_settings(values: Mapping[str, Any], suite: str) -> RunSettings:
    """Turn the parsed values of options into settings, without a suite's own defaults.

    Raises:
        WrongSettings: a value is invalid.
    """
    from tasks.pipeline.resolved import own_options, settings_of

    own = own_options(*map(load_suite, suites_named(suite)))
    settings = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in values.items()
        if name not in own or value != options_of(suite)[name].default
    }
    return settings_of(**settings)


def for_suite(command: Callable[..., None], suite: str) -> Callable[..., None]:
    """Give a command that takes `settings` the options of one suite in their place."""
    signature = inspect.signature(command, eval_str=True)
    if "settings" not in signature.parameters:
        return command
    options = options_of(suite, takes_many="files" not in signature.parameters)

    def called(*arguments: Any, **named: Any) -> None:
        values = {name: named.pop(name, option.default) for name, option in options.items()}
        command(*arguments, settings=run_settings(values, suite), **named)

    parameters = dict(signature.parameters)
    del parameters["settings"]
    # what is positional comes first, then the options, then what a command has besides
    shown = sorted((*options.values(), *parameters.values()), key=lambda other: other.kind)
    called.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    called.__annotations__ = {other.name: other.annotation for other in shown}
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    return called


def suite_named(tokens: Sequence[str], preset: Callable[[str], dict[str, Any]]) -> str:
    """Return the suite that an option, environment variable or preset selects.

    Without a known name, that is the default suite.

    Args:
        preset: reads the options of a preset.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("suite", "preset"):
        parser.add_argument(
            f"--{name}", nargs="?", default=os.environ.get(f"TENKBENCH_{name.upper()}")
        )
    named, _ = parser.parse_known_args(tokens)
    suite = named.suite
    if suite is None and named.preset is not None:
        with suppress(WrongSettings):  # the command reports it when it reads the preset
            suite = preset(named.preset).get("suite")
    with suppress(UnknownSuite):  # likewise
        return suite if suites_named(suite or "") else DEFAULTS.suite
    return DEFAULTS.suite


# --- release and suite of a command that names none --------------------------------------


def place_of(lake: str, release: str | None, suite: str | None) -> tuple[str, str]:
    """Return the release and suite that a command means; see `release_of` and `suite_of`."""
    release = release_of(lake, release)
    return release, suite or suite_of(lake, release)


def release_of(lake: str, release: str | None) -> str:
    """Return the named release, or else the lake's only one.

    Raises:
        WrongSettings: none is named, and the lake has several.
    """
    from tasks.lake.lake import Lake

    if release is not None:
        return release
    releases = Lake(lake).as_of_now().releases()
    if len(releases) > 1:
        raise WrongSettings(
            f"The lake '{lake}' has more than one release. Choose with --release: "
            f"{', '.join(releases)}"
        )
    return (releases or [DEFAULTS.release])[0]


def suite_of(lake: str, release: str | None) -> str:
    """Return the only suite in the lake or release, else the default, and say so."""
    from tasks.lake.lake import Lake

    begun = {
        commit.step.name.partition(".")[0] for commit in Lake(lake).as_of_now().commits(release)
    }
    names = [name for name in SUITES if name in begun]
    suite = DEFAULTS.suite if DEFAULTS.suite in names else (names or [DEFAULTS.suite])[0]
    if others := [f"--suite {name}" for name in names if name != suite]:
        print_note(f"Suite {suite}. The lake also holds others: {', '.join(others)}.")
    return suite
