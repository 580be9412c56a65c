"""Write a batch problem for `python -m writhe.accelerator.measure`, from built-in movements.

The file holds the chain, one learned octree, target trajectories of all styles, and the results of
the Numba passes.

    python tools/write_batch_problem.py PROBLEM.npz
"""

from __future__ import annotations

import sys

import numpy as np

from writhe.research.benchmarks.batch_ik import problem_arrays

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    np.savez_compressed(sys.argv[1], **problem_arrays())
    print(sys.argv[1])
