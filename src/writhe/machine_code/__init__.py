"""Machine code of the kernels: how it is named, stored, found and loaded.

Numba's own cache depends on the path and modification time of the file that holds a function,
misses edits of a callee in another file, and mixes up entries when two processes write at once.
Here machine code is named after the content of the sources it was compiled from, in folders that
any number of processes may share.
"""
