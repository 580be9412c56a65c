"""Kernels of quadratic programs: normal equations, dual active set, projected Newton."""
