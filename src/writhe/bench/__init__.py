"""Benchmarks: one file per subject."""
