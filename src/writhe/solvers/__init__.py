"""One file per method, all speaking terms."""

from writhe.solvers.chart import Chart, EulerChart, LatentChart, TangentChart
from writhe.solvers.result import Status, StepResult
from writhe.solvers.step import StepOptions, StepSolver

__all__ = [
    "Chart",
    "EulerChart",
    "LatentChart",
    "Status",
    "StepOptions",
    "StepResult",
    "StepSolver",
    "TangentChart",
]
