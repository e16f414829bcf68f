# tenkbench itself: Prefect workers (the drivers), Ray's head, and Ray's nodes for ingest. From the repository's root:
#   docker build -f infra/images/driver.Dockerfile -t tenkbench-driver:0.1.0 .
# The patch release is part of it: Ray refuses a node whose Python differs from its head's (vllm.Dockerfile has the same).
ARG PYTHON=3.11.18
FROM python:${PYTHON}-slim

# KubeRay's health checks of a node are commands that call wget.
RUN apt-get update && apt-get install -y --no-install-recommends wget && rm -rf /var/lib/apt/lists/*

COPY requirements.lock infra/images/requirements-ray.lock /tmp/locks/
RUN pip install --no-cache-dir -r /tmp/locks/requirements.lock -r /tmp/locks/requirements-ray.lock
COPY . /tmp/tenkbench
RUN pip install --no-cache-dir --no-deps /tmp/tenkbench && rm -rf /tmp/tenkbench /tmp/locks

# The cache is where compose puts a volume, which takes its owner from here.
RUN useradd --uid 1000 --create-home tenkbench && install -d -o 1000 -g 1000 /home/tenkbench/.cache
USER 1000
WORKDIR /home/tenkbench
ENV RAY_USAGE_STATS_ENABLED=0 DO_NOT_TRACK=1
# Given as the container's command: `tenkbench ...`, `prefect worker start --pool gpu`, or what KubeRay makes for Ray.
CMD ["tenkbench", "--help"]
