"""Kernels of cleaning: the rows and the normal equations of a window of frames."""
