"""The step solver and its charts; the posing, tangling and trajectory methods are subpackages."""

from writhe.solvers.chart import AffineChart, Chart, EulerChart, TangentChart
from writhe.solvers.result import Status, StepResult
from writhe.solvers.step import StepOptions, StepSolver

__all__ = [
    "AffineChart",
    "Chart",
    "EulerChart",
    "Status",
    "StepOptions",
    "StepResult",
    "StepSolver",
    "TangentChart",
]
