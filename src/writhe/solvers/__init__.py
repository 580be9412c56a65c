"""The step solver and its charts; the posing, tangling and trajectory methods are subpackages."""

from writhe.solvers.chart import AffineChart, Chart, EulerChart, TangentChart
from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
from writhe.solvers.result import Status, StepResult

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
