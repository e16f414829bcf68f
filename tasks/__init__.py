"""The tasks: verbs, and the rooms of parts that they call."""

import os

# numpy, which comes with pyarrow, starts a thread a core for linear algebra. Nothing here has any, and for a tenth of a
# second these threads spin beside the start of each process: 40 ms of it on two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
