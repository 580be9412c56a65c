"""Write a problem for a machine with a GPU, on which only NumPy and JAX are needed.

    python tools/write_batch_problem.py PROBLEM.npz             for writhe.accelerator.measure
    python tools/write_batch_problem.py --postures PROBLEM.npz  for accelerator.measure_postures

The first holds a chain, one learned octree and target trajectories; the second a body with
postures and posing tasks. Both contain results of the Numba kernels for comparison.
"""

from __future__ import annotations

import sys

import numpy as np

from writhe.research.benchmarks.throughput import batch_ik, gpu

if __name__ == "__main__":
    if len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        np.savez_compressed(sys.argv[1], **batch_ik.problem_arrays())
    elif len(sys.argv) == 3 and sys.argv[1] == "--postures":
        np.savez_compressed(sys.argv[2], **gpu.problem_arrays())
    else:
        sys.exit(__doc__)
    print(sys.argv[-1])
