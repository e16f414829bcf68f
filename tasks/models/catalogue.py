"""The models that can be named: the catalogue, a user's own file, and NAME@URL.

A model is one row of `models.toml`, or of the file that `--models-file` names (same layout; a
row there replaces the catalogue's of the same name). `NAME@http://host:port/v1` is a model that an
OpenAI-compatible server answers for, without a row.
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
from typing import Any
from urllib.parse import urlsplit

from tasks.core.errors import WrongUsage
from tasks.core.ids import canonical_json, sha256_hex
from tasks.models.prices import Price, listed_price
from tasks.models.toml_tables import WrongTable, made_of


class UnknownModel(WrongUsage):
    """A model that no catalogue names."""


class WrongModelsFile(WrongUsage):
    """A models file that cannot be used; the message names the file, the row and the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a model's weights lie on GPUs: `replicas` servers of `tensor_parallel` GPUs each."""

    tensor_parallel: int
    replicas: int
    memory_share: float = 0.9  # of a GPU's memory that weights and cache may take

    @property
    def n_gpus(self) -> int:
        return self.tensor_parallel * self.replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """What one token leaves in a model's cache, in 16-bit numbers.

    Either `kv_heads` keys and values of `head_dim` numbers each, or, with latent attention, `latent` numbers.
    """

    layers: int
    kv_heads: int = 0
    head_dim: int = 0
    latent: int = 0

    @property
    def bytes_per_token(self) -> int:
        return self.layers * (2 * self.kv_heads * self.head_dim + self.latent) * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where vLLM lives and how its servers are started: the table `[vllm]` of a models file.

    python             interpreter of the environment that has vLLM, the same path on every node; when not given,
                       the one that Ray's runtime environment brings
    runtime_env        Ray's runtime environment for the servers, as Ray has it: image_uri, container, conda, ...
    command            what starts one server. Places: {python} {name} {model} {host} {port} {replica}, and as an
                       argument of its own {options}: every option that vLLM needs for the model's row
    environment        variables for the servers, beside those of the node
    on_cpu             whether servers need no GPU
    log_folder         on each node; a folder of the node's temporary files when not given
    place_timeout_s    how long is waited for GPUs that others hold, and for Ray's runtime environment to be made
    start_timeout_s    how long a server may take until it answers
    no_progress_s      how long a server with requests may answer none of them
    """

    python: str | None = None
    runtime_env: Mapping[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = ("{python}", "-m", "vllm.entrypoints.openai.api_server", "{options}")
    environment: Mapping[str, str] = field(default_factory=dict)
    on_cpu: bool = False
    log_folder: str | None = None
    place_timeout_s: float = 900.0
    start_timeout_s: float = 1800.0
    no_progress_s: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model and how it is reached.

    name             what options, tables and reports say
    engine           the engine that runs it, a key of `tasks.inference.engines.ENGINES`
    description      one line for `tenkbench models`
    served_as        what the server or provider calls it; the repository, else the name, when not given
    base_url         where an OpenAI-compatible server answers, up to and including /v1
    key_env          environment variable that holds the key; its value is never stored or shown
    repository       where the weights are published
    revision         which version of them; part of every ledger key
    cutoff           the last day that its training data are from, where the publisher has said so
    window           most tokens of prompt and answer together
    token_ratio      the model's tokens per cl100k token, as estimated for English filings
    parameters_b     parameters, in billions; those that work on one token where only some do
    weights_gb       memory of the weights, in GB as they are loaded
    cache            what a token leaves in the cache
    layout           on GPUs of 80 GB; for the engine `vllm`
    dtype, rope      as the server is told; part of every ledger key
    server_options   further options of the server's command line, as they are; part of every ledger key
    body             further fields of each request's body, as they are; part of every ledger key
    price            what a provider asks for, where LiteLLM's cost map does not say; see `price_of`
    batch_discount   share of `price`, 0 to 1, that the provider's batch API takes off; see `batch_price_of`
    thinks           whether it reasons in tokens of its answer before it answers; thoughts are no part of the answer
    thinking_tokens  most tokens of thoughts, beside those of the answer; part of every ledger key
    in_flight        most calls at once, per replica
    timeout_s        after how many seconds a call is given up
    patience_s       how many seconds a server that is gone, or fails whoever asks, is waited for: the time that it
                     takes to be started again, where somebody or something does that
    prime            whether each group's prefix is warmed up; when not given, where no price is paid
    has_schema       whether the server holds replies to a JSON schema; part of every ledger key
    refuses          whether the engine `extractive` refuses what it is not sure of
    serving          how the engine `vllm` starts its servers: the same for all, from the table `[vllm]`
    """

    name: str
    engine: str
    description: str
    served_as: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    repository: str | None = None
    revision: str | None = None
    cutoff: date | None = None
    window: int | None = None
    token_ratio: float = 1.0
    parameters_b: float | None = None
    weights_gb: float | None = None
    cache: Cache | None = None
    layout: Layout | None = None
    dtype: str | None = None
    rope: Mapping[str, Any] = field(default_factory=dict)
    server_options: tuple[str, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    batch_discount: float = 0.0
    thinks: bool = False
    thinking_tokens: int = 0
    in_flight: int = 64
    timeout_s: float = 600.0
    patience_s: float = 60.0
    prime: bool | None = None
    has_schema: bool = False
    refuses: bool = True
    serving: Serving = Serving()

    @property
    def called(self) -> str:
        """What the server or provider calls it."""
        return self.served_as or self.repository or self.name

    @property
    def primes(self) -> bool:
        """Whether a group's prefix is warmed up before its calls are sent."""
        if self.prime is not None:
            return self.prime
        return price_of(self) is None and self.engine != "litellm"

    @property
    def identity(self) -> str:
        """Hash of what its answers depend on besides prompt and sampling. Where it is served is not part of it."""
        depends = [
            self.called,
            self.revision,
            self.dtype,
            dict(self.rope),
            self.server_options,
            dict(self.body),
            self.has_schema,
            self.thinking_tokens,
            *([] if self.refuses else ["bold"]),
        ]
        return sha256_hex(canonical_json(depends))[:16]

    @property
    def kv_bytes(self) -> int | None:
        """Cache bytes per token over all layers, where they are known."""
        return None if self.cache is None else self.cache.bytes_per_token


class UnreachableModel(WrongUsage):
    """A model whose key or address is missing; the message names the variable or the key of its row."""


def check_reachable(model: Model) -> None:
    """Refuse, before anything starts, a model that could not be asked.

    Raises:
        UnreachableModel: its key is not in the environment, it has no address or one that its engine does not use,
            or nobody said where vLLM is.
    """
    if model.engine == "openai" and model.base_url is None:
        raise UnreachableModel(
            f"{model.name} has no server yet: {model.description}; name one with {model.name}@http://host:port/v1, "
            "or give base_url in a models file"
        )
    if model.key_env is not None and not os.environ.get(model.key_env):
        raise UnreachableModel(
            f"{model.name} needs a key in the environment variable {model.key_env}, which is not set"
        )
    if model.engine == "vllm" and model.base_url is not None:
        raise UnreachableModel(
            f"{model.name} has a base_url, but its engine vllm starts servers of its own; "
            'give engine = "openai" for a server that runs already'
        )
    serving = model.serving
    if (
        model.engine == "vllm"
        and not (serving.python or serving.runtime_env)
        and "{python}" in serving.command
    ):
        raise UnreachableModel(
            f"{model.name} runs in vLLM, which has an environment of its own; say in a models file (--models-file) "
            'where it is: [vllm] and below it python = "/path/to/its/bin/python" or runtime_env = { image_uri = "..." }; '
            f"{model.name}@http://host:port/v1 names a server that runs already"
        )


# --- what it costs -------------------------------------------------------------------------


def price_of(model: Model) -> Price | None:
    """What tokens of a model cost: its row's price, else the one that LiteLLM lists; None: nothing is paid per token.

    None too where LiteLLM reaches a model that its cost map does not know; `costs_unknown` tells.
    """
    if model.price is not None or model.engine != "litellm":
        return model.price
    return listed_price(model.called)


def batch_price_of(model: Model) -> Price | None:
    """What tokens cost through the provider's batch API: the row's price less its discount, else what LiteLLM lists.

    The full price where LiteLLM lists none for batches; None: nothing is paid per token.
    """
    price = price_of(model)
    if price is None or model.price is not None:
        return None if price is None else price.less(model.batch_discount)
    return listed_price(model.called, in_batch=True) or price


def costs_unknown(model: Model) -> bool:
    """Whether a model is paid for, as an API or a key suggests, at a price that nobody has said."""
    return price_of(model) is None and (model.engine == "litellm" or model.key_env is not None)


def cost_of(model: Model, n_prompt: int, n_cached: int, n_output: int) -> float | None:
    """US dollars of calls with so many tokens; None where nothing is paid per token."""
    price = price_of(model)
    return None if price is None else price.of(n_prompt, n_cached, n_output)


# --- the catalogue and a user's own file ---------------------------------------------------

_NAME_AT_URL = re.compile(r"(?P<name>[^@\s]+)@(?P<url>https?://\S+)")
# An address that somebody has typed without http://: a host with a port or a path.
_NAME_AT_HOST = re.compile(r"(?P<name>[^@\s]+)@(?!\w+://)(?P<host>\S*[\w.-](?::\d+|/)\S*)")
# What a request's body holds that a call decides, not a row.
_OWN_FIELDS = frozenset(
    {
        "model",
        "messages",
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "stream",
        "response_format",
        "n",
    }
)
_NESTED: dict[str, type[Any]] = {"price": Price, "layout": Layout, "cache": Cache}
_HOW = "each model is a table [models.NAME] with its keys below it"
_SHORTEST_KEY = 20  # characters


def load_catalogue(models_file: str | None = None) -> dict[str, Model]:
    """Every model with a row, by name; the user's file last.

    Raises:
        WrongModelsFile: the file cannot be read, or a row cannot be used.
    """
    if models_file is None:
        return dict(_packaged())
    content = _read(Path(models_file))
    try:
        if unknown := sorted(set(content) - {"models", "vllm"}):
            raise WrongTable(f"{unknown[0]} is no part of a models file; {_HOW}, and one table [vllm]")
        catalogue, serving = _packaged() | _rows(content), _serving(content)
    except WrongTable as wrong:
        raise WrongModelsFile(f"{models_file}: {wrong}") from wrong
    return {name: replace(model, serving=serving) for name, model in catalogue.items()}


def stated_cutoffs(models_file: str | None = None) -> dict[str, date]:
    """The last day that models' training data are from, by name: of those whose publishers have said so.

    Raises:
        WrongModelsFile: the file cannot be read, or a row cannot be used.
    """
    catalogue = load_catalogue(models_file)
    return {name: model.cutoff for name, model in catalogue.items() if model.cutoff is not None}


def find_model(name: str, models_file: str | None = None) -> Model:
    """The row of a name, or the model that `NAME@URL` describes.

    Raises:
        UnknownModel: there is none, or its address lacks http:// or has a secret in it; the message says what there is, or is meant.
        WrongModelsFile: the user's file cannot be used.
    """
    catalogue = load_catalogue(models_file)
    if name in catalogue:
        return catalogue[name]
    if found := _NAME_AT_URL.fullmatch(name):
        return _served_at(found["name"], found["url"])
    if found := _NAME_AT_HOST.fullmatch(name):
        _refuse_secret(found["name"], f"http://{found['host']}")
        raise UnknownModel(
            f"the address of {found['name']} has no http:// in front of it; "
            f"did you mean {found['name']}@http://{found['host']}?"
        )
    close = get_close_matches(name.lower(), [known.lower() for known in catalogue], n=1, cutoff=0.5)
    meant = [f" (did you mean {known}?)" for known in catalogue if known.lower() in close]
    raise UnknownModel(
        f"no model is named {name!r}{''.join(meant)}; `tenkbench models` lists them, NAME@http://host:port/v1 names one "
        "that a server of yours answers for, and --models-file adds rows of your own"
    )


def name_of(option: str) -> str:
    """What tables, steps and reports call a model that an option names: NAME@URL without the URL.

    Where a model is served can change between two runs that ask the same model.
    """
    found = _NAME_AT_URL.fullmatch(option)
    return option if found is None else found["name"]


def _refuse_secret(name: str, url: str) -> None:
    if _has_secret(url):
        raise UnknownModel(
            f"the address of {name} has a user name, password or query in it; give the key in an environment variable "
            "and name that in a models file (key_env)"
        )


def _served_at(name: str, url: str) -> Model:
    _refuse_secret(name, url)
    parts = urlsplit(url)
    return Model(
        name=name,
        engine="openai",
        description=f"a model that OpenAI-compatible servers answer for, this time {parts.hostname}; the ledger knows it by its name",
        base_url=url.rstrip("/"),
        key_env="OPENAI_API_KEY" if parts.hostname == "api.openai.com" else None,
    )


@cache
def _packaged() -> dict[str, Model]:
    text = files("tasks.models").joinpath("models.toml").read_text(encoding="utf-8")
    return _rows(tomllib.loads(text))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongModelsFile(f"cannot read the models file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongModelsFile(f"the models file {path} is not TOML: {error}") from error


def _rows(content: Mapping[str, Any]) -> dict[str, Model]:
    rows = content.get("models", {})
    if not isinstance(rows, Mapping):
        raise WrongTable(f"models: {_HOW}")
    return {name: _row(name, row) for name, row in rows.items()}


def _serving(content: Mapping[str, Any]) -> Serving:
    table = content.get("vllm", {})
    if isinstance(table, Mapping) and isinstance(table.get("environment"), Mapping):
        table = {**table, "environment": {name: str(value) for name, value in table["environment"].items()}}
    return made_of(Serving, table, "vllm")


def _row(name: str, row: Any) -> Model:
    where = f"model {name}"
    if not isinstance(row, Mapping):
        raise WrongTable(f"{where}: {_HOW}")
    if apart := [key for key, value in row.items() if isinstance(value, Mapping) and "engine" in value]:
        raise WrongTable(
            f'{where}: a name with a dot in it goes in quotes: [models."{name}.{apart[0]}"] and below it the keys'
        )
    nested = {key: made_of(_NESTED[key], row[key], f"{where}: {key}") for key in _NESTED if key in row}
    table = {key: value for key, value in row.items() if key not in nested}
    model = made_of(Model, table, where, given={"name": name, "serving": Serving(), **nested})
    if problem := _problem_of(model):
        raise WrongTable(f"{where}: {problem}")
    return model


def _problem_of(model: Model) -> str | None:
    """What would make a run with this row hang, or ask for something else than its rows say."""
    if (
        "@" in model.name
        or model.name != model.name.strip()
        or not model.name.isprintable()
        or not model.name
    ):
        return "a name has no @ in it, and no blanks around it: NAME@URL names a server"
    for key in ("in_flight", "timeout_s", "token_ratio", "window", "kv_bytes"):
        value = getattr(model, key)
        if value is not None and value <= 0:
            return f"{key} must be above 0"
    layout = model.layout
    if layout is not None and not (
        layout.tensor_parallel > 0 and layout.replicas > 0 and 0 < layout.memory_share <= 1
    ):
        return "layout needs a tensor_parallel and replicas of at least 1, and a memory_share of at most 1"
    if model.batch_discount > 1:
        return "batch_discount is a share of the price, at most 1: 0.5 is half off"
    if model.batch_discount and model.price is None:
        return "batch_discount is taken off the row's price, which it does not have; give price, too"
    if model.key_env is not None and (problem := _problem_of_variable(model.key_env)):
        return f"key_env is the name of an environment variable, never the key itself; {problem}"
    if own := sorted(set(model.body) & _OWN_FIELDS):
        return f"body cannot hold {own[0]}, which each call sets"
    if model.base_url is not None:
        return _problem_of_address(model.base_url)
    return None


def _problem_of_variable(name: str) -> str | None:
    """Why it is no variable's name, or may be a key: the message never repeats it."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return "a name has letters, digits and _ in it and nothing else, and no digit first"
    is_mixed = re.search(r"\d", name) is not None and (name != name.upper() or "_" not in name)
    if is_mixed and len(name) >= _SHORTEST_KEY:
        return (
            f"{_SHORTEST_KEY} characters and more with a digit among them are taken for a key, unless they are capital "
            "letters with a _ somewhere, such as TEAM_2024_OPENAI_KEY: rename the variable, or take one without digits"
        )
    return None


def _problem_of_address(url: str) -> str | None:
    if _has_secret(url):
        return "base_url has a user name, password or query in it; give the key in an environment variable (key_env)"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"base_url must be an address such as http://host:8000/v1, not {url!r}"
    return None


def _has_secret(url: str) -> bool:
    return "@" in url or bool(
        urlsplit(url).query
    )  # also where the address is none, or a password breaks it off
