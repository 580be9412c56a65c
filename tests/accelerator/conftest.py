"""JAX compiles for the tests with little optimisation: they run each function once."""

from __future__ import annotations

import os

# read when JAX starts its first backend; compiling takes most of the time of these tests
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
)
