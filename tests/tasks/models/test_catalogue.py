"""The catalogue has the paper's models; a row that cannot be used is refused in a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.models.catalogue import (
    Model,
    UnknownModel,
    WrongModelsFile,
    find_model,
    load_catalogue,
    name_of,
    price_of,
)
from tasks.models.prices import Price

CATALOGUE = load_catalogue()


@pytest.fixture
def models_file(tmp_path: Path) -> Callable[[str], str]:
    def write(content: str) -> str:
        path = tmp_path / "models.toml"
        path.write_text(content, encoding="utf-8")
        return str(path)

    return write


# --- what is in it -------------------------------------------------------------------------


def test_every_model_of_the_papers_tables_has_a_row(shared: Path) -> None:
    (paper,) = (shared / "papers").glob("000_*.txt")
    rows = re.findall(
        r"^(?!%)([A-Z][\w. -]+?) & (?:\\\w+\{)?0\.\d\d",
        paper.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    names = {name.strip() for name in rows}
    assert len(names) == 24
    known = {name.lower() for name in CATALOGUE}
    missing = {
        name
        for name in names
        if name.lower().removeprefix("openai ").replace(" ", "-") not in known
    }
    assert not missing


@pytest.mark.parametrize(
    "model",
    [model for model in CATALOGUE.values() if model.engine == "vllm"],
    ids=lambda model: model.name,
)
def test_vllm_row_has_what_its_servers_need(model: Model) -> None:
    assert model.repository
    assert model.window
    assert model.layout


def test_litellm_row_names_its_key_and_has_a_price() -> None:
    for model in CATALOGUE.values():
        if model.engine == "litellm":
            assert model.key_env, model.name
            assert price_of(model), model.name


# --- prices --------------------------------------------------------------------------------


def test_listed_price_comes_from_the_cost_map() -> None:
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "model_prices_and_context_window_backup.json"
    row = json.loads(path.read_text(encoding="utf-8"))["gpt-4o-2024-08-06"]
    price = price_of(CATALOGUE["gpt-4o"])
    assert price is not None
    assert price.cached is not None
    assert price.prompt / 1e6 == pytest.approx(row["input_cost_per_token"])
    assert price.output / 1e6 == pytest.approx(row["output_cost_per_token"])
    assert price.cached / 1e6 == pytest.approx(row["cache_read_input_token_cost"])


def test_price_of_the_row_goes_before_the_cost_map(models_file: Callable[[str], str]) -> None:
    file = models_file(
        '[models.mine]\nengine = "litellm"\ndescription = "d"\n'
        'served_as = "openai/gpt-4o"\nprice = { prompt = 1, output = 2 }\n'
    )
    assert price_of(find_model("mine", file)) == Price(prompt=1, output=2)


# --- finding and refusing ------------------------------------------------------------------


def test_users_row_replaces_the_catalogues(models_file: Callable[[str], str]) -> None:
    file = models_file(
        '[models.gpt-4o]\nengine = "openai"\ndescription = "mine"\nbase_url = "http://h/v1"\n'
    )
    assert find_model("gpt-4o", file).description == "mine"
    assert find_model("o1", file) == CATALOGUE["o1"]


def test_reads_what_a_models_file_states_of_a_model(models_file: Callable[[str], str]) -> None:
    row = '[models.ours]\nengine = "openai"\ndescription = "mine"\ncutoff = 2022-06-30\n'
    known = load_catalogue(models_file(row))
    assert known["ours"].cutoff == date(2022, 6, 30)
    assert known["Meta-Llama-3.3-70B-Instruct"].cutoff == date(2023, 12, 31)
    with pytest.raises(WrongModelsFile, match="cites"):
        load_catalogue(models_file(f'{row}cites = "papers"\n'))


def test_finds_a_model_by_name_and_url() -> None:
    model = find_model("llama@http://localhost:8000/v1/")
    assert (model.name, model.engine, model.base_url) == (
        "llama",
        "openai",
        "http://localhost:8000/v1",
    )
    assert name_of("llama@http://localhost:8000/v1/") == "llama"
    again = find_model("llama~2026-11-30@http://localhost:8000/v1/")
    assert (again.name, again.called) == ("llama~2026-11-30", "llama")
    assert again.identity != model.identity  # no kept answer counts


@pytest.mark.parametrize(
    "address",
    [
        "http://me:sesame@localhost:8000/v1",
        "me:sesame@localhost:8000/v1",
        "localhost:8000/v1?key=sesame",
    ],
)
def test_refuses_an_address_with_a_secret_and_does_not_repeat_it(address: str) -> None:
    with pytest.raises(UnknownModel) as refused:
        find_model(f"llama@{address}")
    assert "sesame" not in str(refused.value)


WRONG_ROWS = [
    "in_fligt = 8",
    'window = "32k"',
    "price = { prompt = 1.0 }",
    "layout = { tensor_parallel = 2, heads = 3 }",
    "timeout_s = nan",
    'key_env = ["sk-live-1234"]',
    'key_env = "sk-live-1234"',
    'key_env = "AKsk0liveLIVE1234567"',
    'base_url = "host/v1"',
    "body = { stream = true }",
    'base_url = "https://bob:hunter2@host/v1"',
    'base_url = "https://bob:hunter2/more@host/v1"',
]
WRONG_FILES = [
    '[model.x]\nengine = "openai"',
    "[models.x]",
    '[models."x@y"]\nengine = "openai"\ndescription = "d"',
    "[models",
]


def refusal_of(file: str) -> str:
    with pytest.raises(WrongModelsFile) as refused:
        load_catalogue(file)
    return str(refused.value).replace(file, "FILE")


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_refuses_a_row_and_shows_no_secret(
    row: str, models_file: Callable[[str], str], snapshot: SnapshotAssertion
) -> None:
    said = refusal_of(models_file(f'[models.m]\nengine = "openai"\ndescription = "d"\n{row}\n'))
    assert said == snapshot
    assert "hunter2" not in said
    assert not re.search("sk.?live", said)


@pytest.mark.parametrize("content", WRONG_FILES)
def test_refuses_a_file_of_another_layout(
    content: str, models_file: Callable[[str], str], snapshot: SnapshotAssertion
) -> None:
    assert refusal_of(models_file(content)) == snapshot


def test_longcite_cites_in_its_own_format_on_any_server_and_others_in_json() -> None:
    served = find_model("LongCite-llama3.1-8b@http://127.0.0.1:9/v1")
    assert find_model("LongCite-llama3.1-8b").cites == served.cites == "longcite"
    other = find_model("m@http://127.0.0.1:9/v1")
    assert other.cites == find_model("gpt-4o").cites == find_model("extractive").cites == "json"
    assert replace(other, cites="longcite").identity != other.identity
