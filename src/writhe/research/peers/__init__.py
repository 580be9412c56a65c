"""Comparison with other software: workloads, adapters, metrics. See README.md here."""
