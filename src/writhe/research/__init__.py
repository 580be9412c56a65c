"""Benchmarks, the papers' experiments, comparisons with peers, and their shared evaluation."""
