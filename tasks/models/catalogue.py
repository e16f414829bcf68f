"""Look up models in the catalogue, a user's file, or as NAME@URL.

A model is one row of `models.toml`, or of the file that `--models-file` names. That file has the
same layout; a row there replaces the catalogue's row of the same name. `NAME@http://host:port/v1`
needs no row: an OpenAI-compatible server answers for it. Neither does `NAME@imported`:
`tenkbench import answers` has read its answers from a file.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Gt, Le

from tasks.core.errors import WrongUsage
from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.untrusted import is_web_address, read_toml
from tasks.core.validation import STRICT, WrongTable, validated
from tasks.models.prices import Price, listed_price

IMPORTED = "imported"  # the engine of answers made elsewhere
DATED = "~"  # NAME~DAY is the model NAME, asked anew on a day

Shown = Literal["text", "images"]
CitationFormat = Literal["longcite", "json"]


class UnknownModel(WrongUsage):
    """No catalogue has a model of this name."""


class WrongModelsFile(WrongUsage):
    """A models file cannot be used; the message names row and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLayout:
    """A model's GPUs: `replicas` servers of `tensor_parallel` GPUs each."""

    __pydantic_config__ = STRICT
    tensor_parallel: Annotated[int, Ge(1)]
    replicas: Annotated[int, Ge(1)]
    memory_share: Annotated[float, Gt(0), Le(1)] = 0.9  # of GPU memory, for weights and cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How vLLM's servers start: the table `[vllm]` of a models file."""

    __pydantic_config__ = STRICT
    # Interpreter of vLLM's environment, the same path on every node; None: that of runtime_env.
    python: str | None = None
    runtime_env: Mapping[str, Any] = field(default_factory=dict)  # of Ray: image_uri, conda, ...
    # Starts one server. Placeholders: {python} {name} {model} {host} {port} {replica}, and
    # {options} as an argument of its own: all that the row needs.
    command: tuple[str, ...] = ("{python}", "-m", "vllm.entrypoints.openai.api_server", "{options}")
    environment: Mapping[str, str] = field(default_factory=dict)  # besides that of the node
    on_cpu: bool = False  # servers need no GPU
    log_folder: str | None = None  # on each node; None: a temporary folder
    # Longest wait for GPUs that others hold, and for Ray's runtime environment.
    place_timeout_s: Annotated[float, Ge(0)] = 900.0
    start_timeout_s: Annotated[float, Ge(0)] = 1800.0  # longest time until a server answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model and how to reach it. Fields marked (*) are part of every cache key."""

    __pydantic_config__ = STRICT
    name: str  # in options, tables and reports
    engine: str  # a key of `tasks.inference.engines.ENGINES`
    description: str  # one line for `tenkbench models`
    served_as: str | None = None  # (*) its name at the server; None: the repository, else the name
    base_url: str | None = None  # of an OpenAI-compatible server, up to and including /v1
    key_env: str | None = None  # variable that holds the key; its value is never stored or shown
    repository: str | None = None  # where the weights are published
    revision: str | None = None  # (*) version of the weights
    cutoff: date | None = None  # last day of its training data, if the publisher states one
    window: Annotated[int, Gt(0)] | None = None  # most tokens of prompt and answer together
    token_ratio: Annotated[float, Gt(0)] = 1.0  # its tokens per cl100k token, in English filings
    layout: ServerLayout | None = None  # for the engine `vllm`
    dtype: str | None = None  # (*)
    rope: Mapping[str, Any] = field(default_factory=dict)  # (*)
    server_options: tuple[str, ...] = ()  # (*) further options of the server's command line
    body: Mapping[str, Any] = field(default_factory=dict)  # (*) further fields of a request's body
    price: Price | None = None  # if LiteLLM's cost map has none; see `price_of`
    thinks: bool = False  # it reasons first; thoughts are not part of the answer
    thinking_tokens: Annotated[int, Ge(0)] = 0  # (*) most tokens of thoughts, besides the answer's
    in_flight: Annotated[int, Gt(0)] = 64  # most calls at once, per replica
    timeout_s: Annotated[float, Gt(0)] | None = None  # longest silence of a call; None: by tokens
    # How long to wait for a server that is down, fails every call or asks to wait; None: 60 s, and
    # 300 s if it limits calls or asks to wait.
    patience_s: Annotated[float, Ge(0)] | None = None
    # Send a warm-up request per prefix; None: if tokens cost nothing, or less from a cache.
    prime: bool | None = None
    shown: Shown = "text"  # to a model under test: a context's text, or images of its pages
    has_schema: bool = False  # (*) the server enforces a JSON schema on replies
    counts_tokens: bool = True  # the server's counts of tokens are right; false: they are dropped
    refuses: bool = True  # (*) the engine `extractive` refuses what it is not sure of
    cites: CitationFormat = "json"  # (*) how it cites: as LongCite is tuned to, or in JSON
    serving: Serving = Serving()  # from the table `[vllm]`
    has_row: bool = True  # False: NAME@URL describes it

    @property
    def called(self) -> str:
        """Its name at the server or provider."""
        return self.served_as or self.repository or self.name

    @property
    def laid_out(self) -> ServerLayout:
        """Its layout; by default one server of one GPU."""
        return self.layout or ServerLayout(tensor_parallel=1, replicas=1)

    @property
    def primes(self) -> bool:
        """Whether a warm-up request goes before the calls of a prefix."""
        if self.prime is not None:
            return self.prime
        price = price_of(self)
        if price is None:
            return self.engine != "litellm"
        # providers refuse a limit of one token for a model that thinks
        return price.cached is not None and not self.thinks

    @property
    def takes_schema(self) -> bool:
        """Whether its server enforces a JSON schema; vLLM always does."""
        return self.has_schema or self.engine == "vllm"

    def remedy(self, setting: str, line: str = "") -> str:
        """Tell people to set a key of this model, by a `line` of a models file if there is one."""
        if self.has_row:
            return f"Set {setting} in the model's row of the models file, and run again"
        return (
            f"Set {line or setting} below a row [models.NAME] of a models file, and "
            "name the row with --model NAME --models-file FILE"
        )

    @property
    def identity(self) -> str:
        """Hash of the settings that change answers, wherever it is served."""
        depends = [
            self.called,
            self.revision,
            self.dtype,
            dict(self.rope),
            self.server_options,
            dict(self.body),
            self.takes_schema,
            self.thinking_tokens,
            *self.name.split(DATED)[1:],
            *([] if self.refuses else ["bold"]),
            *([] if self.cites == "json" else [self.cites]),
        ]
        return sha256_hex(canonical_json(depends))[:16]


class UnreachableModel(WrongUsage):
    """A model lacks a key or an address."""


def check_reachable(model: Model) -> None:
    """Raise `UnreachableModel` for a model that could not be asked."""
    if problem := _what_is_missing(model):
        raise UnreachableModel(f"{model.name} {problem}")


def _what_is_missing(model: Model) -> str | None:
    server = f"{model.name}@http://host:port/v1"
    if model.engine == "openai" and model.base_url is None:
        return (
            f"has no server yet: {model.description}. Name one with {server}, or give base_url in "
            "a models file"
        )
    if model.key_env is not None and not os.environ.get(model.key_env):
        return f"needs a key in the environment variable {model.key_env}. It is not set"
    if model.engine == "vllm" and model.base_url is not None:
        return 'has a base_url, for which it needs engine = "openai": vllm starts its own servers'
    serving = model.serving
    has_python = serving.python or serving.runtime_env or "{python}" not in serving.command
    if model.engine == "vllm" and not has_python:
        return (
            "runs in vLLM, which has an environment of its own. Say in a models file "
            '(--models-file) where it is: [vllm] and below it python = "/path/to/its/bin/python" '
            f'or runtime_env = {{ image_uri = "..." }}. {server} names a server that already runs'
        )
    return None


# --- cost ----------------------------------------------------------------------------------


def price_of(model: Model) -> Price | None:
    """Return the row's price, else LiteLLM's, or None if tokens cost nothing or it has none."""
    if model.price is not None or model.engine != "litellm":
        return model.price
    return listed_price(model.called)


def costs_unknown(model: Model) -> bool:
    """Return whether a model has an API or key but no price."""
    return price_of(model) is None and (model.engine == "litellm" or model.key_env is not None)


def cost_of(model: Model, n_prompt: int, n_cached: int, n_output: int) -> float | None:
    """Return US dollars for these tokens, or None if they cost nothing."""
    price = price_of(model)
    return None if price is None else price.of(n_prompt, n_cached, n_output)


# --- the catalogue and a user's own file ---------------------------------------------------

_SCHEMES = ("http://", "https://")
# Fields of a request's body that the call sets, not the row.
_OWN_FIELDS = {
    "model", "messages", "temperature", "max_tokens", "max_completion_tokens", "stream",
    "response_format", "n",
}  # fmt: skip
_HOW = "each model is a table [models.NAME] with its keys below it"


def load_catalogue(models_file: str | None = None) -> dict[str, Model]:
    """Return all models by name; rows of the user's file win."""
    if models_file is None:
        return dict(_packaged())
    try:
        content = read_toml(Path(models_file))
        if unknown := sorted(set(content) - {"models", "vllm"}):
            raise WrongTable(
                f"{unknown[0]} is not part of a models file; {_HOW}, and one table is [vllm]"
            )
        catalogue = _packaged() | _rows(content.get("models", {}))
        serving = validated(Serving, content.get("vllm", {}), "vllm")
    except OSError as error:
        raise WrongModelsFile(
            f"cannot read the models file {models_file}: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongModelsFile(f"the models file {models_file} is not TOML: {error}") from error
    except WrongTable as wrong:
        raise WrongModelsFile(f"{models_file}: {wrong}") from wrong
    return {name: replace(model, serving=serving) for name, model in catalogue.items()}


def find_model(name: str, models_file: str | None = None) -> Model:
    """Return the row of a name, or the model that `NAME@URL` describes."""
    catalogue = load_catalogue(models_file)
    if name in catalogue:
        return catalogue[name]
    own_name, _, place = name.partition("@")
    if (once := own_name.partition(DATED)[0]) != own_name:
        model = find_model(name.replace(own_name, once, 1), models_file)
        return replace(model, name=own_name, served_as=model.called)
    if own_name and place == IMPORTED:
        return _imported(own_name, catalogue)
    if own_name and (place.startswith(_SCHEMES) or ":" in place or "/" in place):
        return _served_at(own_name, place)
    close = get_close_matches(name.lower(), [known.lower() for known in catalogue], n=1, cutoff=0.5)
    meant = [f" (did you mean {known}?)" for known in catalogue if known.lower() in close]
    raise UnknownModel(
        f"no model is named {name!r}{''.join(meant)}. `tenkbench models` lists them, "
        "NAME@http://host:port/v1 names one on your own server, and --models-file adds rows"
    )


def name_of(option: str) -> str:
    """Return a model's name in tables and steps: without the URL, which may differ between runs."""
    name, _, place = option.partition("@")
    return name if place == IMPORTED or place.startswith(_SCHEMES) else option


def _served_at(name: str, url: str) -> Model:
    if problem := _problem_of_address(url):
        raise UnknownModel(f"{name}: {problem}")
    host = urlsplit(url).hostname
    known = _packaged().get(name)
    return Model(
        name=name,
        engine="openai",
        description=f"a model on an OpenAI-compatible server, here {host}; "
        "answers are cached by model name, so give each model its own",
        base_url=url.rstrip("/"),
        key_env="OPENAI_API_KEY" if host == "api.openai.com" else None,
        cites=known.cites if known else "json",
        has_row=False,
    )


def _imported(name: str, catalogue: Mapping[str, Model]) -> Model:
    if name in catalogue:
        raise UnknownModel(
            f"{name!r} is a model of the catalogue. Import answers that were made elsewhere under "
            f"a name of their own, such as {name}-elsewhere"
        )
    return Model(
        name=name,
        engine=IMPORTED,
        description="answers made elsewhere, imported from a file",
        revision=IMPORTED,  # never the key of an answer that we asked for
        prime=False,
    )


@cache
def _packaged() -> dict[str, Model]:
    return _rows(read_toml(files("tasks.models").joinpath("models.toml"))["models"])


def _rows(table: Any) -> dict[str, Model]:
    if not isinstance(table, Mapping):
        raise WrongTable(f"models: {_HOW}")
    return {name: _row(name, row) for name, row in table.items()}


def _row(name: str, row: Any) -> Model:
    where = f"model {name}"
    defaults = {"name": name, "serving": {}, "has_row": True}
    model = validated(Model, row, where, preset=defaults, secret=("key_env", "base_url"))
    if problem := _problem_of(model):
        raise WrongTable(f"{where}: {problem}")
    return model


def _problem_of(model: Model) -> str | None:
    """Say what is wrong with a row as a whole, or None."""
    is_plain = model.name == model.name.strip() and model.name.isprintable()
    if "@" in model.name or not model.name or not is_plain:
        return "a name has no @ in it, and no whitespace around it: NAME@URL names a server"
    if model.engine == "extractive" and model.shown == "images":
        return "the engine extractive reads no images. Leave out shown, or name another engine"
    # never repeated, since it may be a key, which has small letters
    if model.key_env is not None and not re.fullmatch("[A-Z][A-Z0-9]*_[A-Z0-9_]+", model.key_env):
        return (
            "key_env is the name of an environment variable, never the key itself: capital "
            "letters, digits and at least one _, as in OPENAI_API_KEY"
        )
    if own := sorted(set(model.body) & _OWN_FIELDS):
        return f"body cannot hold {own[0]}, which each call sets"
    return None if model.base_url is None else _problem_of_address(model.base_url)


def _problem_of_address(url: str) -> str | None:
    if "@" in url or "?" in url:  # an @ counts even if a password breaks the address off
        return (
            "base_url has a user name, password or query in it. "
            "Put the key into an environment variable (key_env)"
        )
    if not is_web_address(url):
        return f"base_url must be an address such as http://host:8000/v1, not {url!r}"
    return None
