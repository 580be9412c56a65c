"""The linking of two polylines in C and in NumPy, to compare the kernels with."""
