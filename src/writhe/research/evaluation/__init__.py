"""Shared by benchmarks and experiments: scripted tasks, metrics, reports."""

from writhe.research.evaluation.registry import run_named
from writhe.research.evaluation.report import Report

__all__ = ["Report", "run_named"]
