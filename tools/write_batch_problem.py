"""Write a problem for a machine with a GPU, on which only NumPy and JAX are needed.

    python tools/write_batch_problem.py PROBLEM.npz             for accelerator.measure_trajectories
    python tools/write_batch_problem.py --postures PROBLEM.npz  for accelerator.measure_postures
    python tools/write_batch_problem.py --broad-phase PROBLEM.npz CLIP...
                                                                for accelerator.measure_broad_phase

The first holds a chain, one learned octree and target trajectories; the second a body with
postures and posing tasks; the third the bodies and motions of clips. All contain results of the
Numba kernels for comparison.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from writhe.research.benchmarks.throughput import batch_ik, gpu

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--postures", output]:
            np.savez_compressed(output, **gpu.problem_arrays())
        case ["--broad-phase", output, *clips] if clips:
            np.savez_compressed(output, **gpu.broad_phase_arrays([Path(clip) for clip in clips]))
        case [output] if not output.startswith("-"):
            np.savez_compressed(output, **batch_ik.problem_arrays())
        case _:
            sys.exit(__doc__)
    print(output)
