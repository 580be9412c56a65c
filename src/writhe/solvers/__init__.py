"""The step solver and its charts; the posing, tangling and trajectory methods are subpackages.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.solvers.chart import AffineChart, Chart, EulerChart, TangentChart
    from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
    from writhe.solvers.result import Status, StepResult
else:
    __getattr__ = lazy_names(
        __name__,
        {
            **dict.fromkeys(
                ("AffineChart", "Chart", "EulerChart", "TangentChart"), "writhe.solvers.chart"
            ),
            **dict.fromkeys(("StepOptions", "StepSolver"), "writhe.solvers.levenberg_marquardt"),
            **dict.fromkeys(("Status", "StepResult"), "writhe.solvers.result"),
        },
    )

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
