"""Kernels of file formats: tables of numbers as text."""
