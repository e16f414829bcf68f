"""The pipeline's verbs, and the packages of parts that they call."""

import os

# numpy, which pyarrow imports, starts one thread per core for linear algebra. We have none to do,
# and the threads spin for 0.1 s: 40 ms of each process start on two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
