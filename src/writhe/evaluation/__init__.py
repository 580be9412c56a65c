"""What benchmarks and reproductions share: scripted tasks, figures of merit, reports."""

from writhe.evaluation.named import Progress, run_named
from writhe.evaluation.report import Report

__all__ = ["Progress", "Report", "run_named"]
