"""`writhe bench kernels`: the core kernels.

`gli_ns` and `gli_grad_ns` are nanoseconds per pair of segments, over all pairs of two polylines of
`SEGMENTS` segments each: the value, and the value with its derivatives by the four end points.
`c` is the same loop in C (see `reference_linking`), `numpy` the array form. `kinematics_us` is
one call of the human's frames and all joint Jacobians. The C figures are null without a compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.kernels.topology import gauss_linking
from writhe.progress import Progress
from writhe.research.benchmarks.certify import certify_clip_s, certify_step_us, near_pairs_us
from writhe.research.benchmarks.reference_linking.in_c import FLAGS, CLinking
from writhe.research.benchmarks.reference_linking.in_numpy import (
    linking_matrix,
    linking_matrix_gradients,
)
from writhe.research.evaluation.bvh_throughput import bvh_throughput
from writhe.research.evaluation.interleaved_timing import first_call, interleaved
from writhe.skeleton.figures import figure

SEGMENTS = 64


def run(progress: Progress) -> dict[str, Any]:
    """All figures of the kernels, measured in one run."""
    result: dict[str, Any] = {"first_call_s": {}}
    progress(None, "linking")
    result.update(_linking(result["first_call_s"]))
    progress(None, "kinematics")
    result["kinematics_us"] = _kinematics(result["first_call_s"])
    progress(None, "certify")
    result["certify_step_us"] = round(certify_step_us(), 2)
    result["near_pairs_us"] = round(near_pairs_us(), 2)
    result["certify_1000_frames_s"] = round(certify_clip_s(), 4)
    progress(None, "BVH")
    result["bvh_mb_per_s"] = bvh_throughput()
    return result


def _linking(first_calls: dict[str, float]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, SEGMENTS + 1, 3)).cumsum(axis=1)
    scratch = gauss_linking.make_scratch()
    out, by_vertex = np.empty((SEGMENTS, SEGMENTS)), np.empty((4, 3, SEGMENTS, SEGMENTS))
    values = {
        "numba": lambda: gauss_linking.linking_matrix(first, second, scratch, out),
        "numpy": lambda: linking_matrix(first, second),
    }
    gradients = {
        "numba": lambda: gauss_linking.linking_matrix_gradients(
            first, second, scratch, out, by_vertex
        ),
        "numpy": lambda: linking_matrix_gradients(first, second),
    }
    first_calls["gli"] = round(first_call(values["numba"]), 3)
    first_calls["gli_grad"] = round(first_call(gradients["numba"]), 3)
    try:
        compiled = CLinking()
    except WritheError as problem:
        note = str(problem)
    else:
        note = f"{compiled.compiler} {' '.join(FLAGS)}"
        values["c"] = lambda: compiled.linking_matrix(first, second, scratch, out)
        gradients["c"] = lambda: compiled.linking_matrix(first, second, scratch, out, by_vertex)
    return {
        "gli_ns": _per_pair(interleaved(values)),
        "gli_grad_ns": _per_pair(interleaved(gradients)),
        "c_compiler": note,
    }


def _per_pair(seconds: dict[str, float]) -> dict[str, float | None]:
    return {
        name: round(seconds[name] / SEGMENTS**2 * 1e9, 2) if name in seconds else None
        for name in ("numba", "c", "numpy")
    }


def _kinematics(first_calls: dict[str, float]) -> float:
    skeleton = figure("human").skeleton
    n, nv = len(skeleton), skeleton.dof_count
    q = skeleton.rest_configuration.copy()
    arrays = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((nv, 3)), np.empty((n, 3, nv))

    def call() -> None:
        kinematics.forward_with_jacobians(skeleton.tree, q, *arrays)

    first_calls["kinematics"] = round(first_call(call), 3)
    return round(interleaved({"call": call})["call"] * 1e6, 2)
