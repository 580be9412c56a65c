"""Parallel kernels do not spin while other programs use the cores."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# libgomp prints its settings when it is loaded, with those that it does not use left out
SCRIPT = """
import numba, numpy as np
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import forward
from writhe.skeleton.figures import figure

human = figure("human").skeleton
forward(human, np.array([human.rest_configuration] * 8))
print(numba.threading_layer())
"""


def _settings(**environment: str) -> tuple[str, str]:
    """The threading layer after a parallel kernel, and what OpenMP says about itself."""
    kept = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**kept, "OMP_DISPLAY_ENV": "true", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr.upper()


@pytest.mark.parametrize(
    ("given", "found"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")]
)
def test_threads_sleep_while_waiting_unless_told_otherwise(given: dict[str, str], found: str):
    layer, settings = _settings(**given)
    if layer != "omp" or "OMP_WAIT_POLICY" not in settings:
        pytest.skip(f"Numba runs on {layer!r} here, or OpenMP does not print its settings")
    line = next(line for line in settings.splitlines() if "OMP_WAIT_POLICY" in line)
    assert f"'{found}'" in line
