# A Ray node with GPUs: vLLM in the environment that its publishers tested, and tenkbench's own, which Ray runs in,
# beside it (the two cannot share one: their fastapi ranges exclude each other). From the repository's root:
#   docker build -f infra/images/vllm.Dockerfile -t tenkbench-vllm:0.1.0 .
# The version is the one that `make test-vllm` runs on the CPU (requirements-vllm.lock).
ARG VLLM=0.32.0
FROM vllm/vllm-openai:v${VLLM}
# To the patch release that of driver.Dockerfile: Ray refuses a node whose Python differs from its head's.
ARG PYTHON=3.11.18

# KubeRay's health checks of a node are commands that call wget.
RUN apt-get update && apt-get install -y --no-install-recommends wget && rm -rf /var/lib/apt/lists/*

# Not a link: where that python lives in a virtual environment, it finds it by the path that it was called by.
RUN mkdir -p /opt/vllm/bin \
    && printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v python3)" > /opt/vllm/bin/python \
    && chmod 755 /opt/vllm/bin/python \
    && /opt/vllm/bin/python -c 'from importlib.metadata import version; print("vllm", version("vllm"))'

ENV UV_PYTHON_INSTALL_DIR=/opt/python
RUN (command -v uv || python3 -m pip install --no-cache-dir --break-system-packages uv) \
    && uv venv --managed-python --python ${PYTHON} /opt/tenkbench
COPY requirements.lock infra/images/requirements-ray.lock /tmp/locks/
RUN uv pip install --no-cache --python /opt/tenkbench/bin/python \
    -r /tmp/locks/requirements.lock -r /tmp/locks/requirements-ray.lock
COPY . /tmp/tenkbench
RUN uv pip install --no-cache --python /opt/tenkbench/bin/python --no-deps /tmp/tenkbench \
    && rm -rf /tmp/tenkbench /tmp/locks \
    && ln -sf /opt/tenkbench/bin/ray /usr/local/bin/ray

# Not unique: newer bases have a user 1000 already.
RUN useradd --non-unique --uid 1000 --create-home tenkbench
USER 1000
WORKDIR /home/tenkbench
ENV HOME=/home/tenkbench RAY_USAGE_STATS_ENABLED=0 DO_NOT_TRACK=1
ENTRYPOINT []
CMD ["ray", "--help"]
