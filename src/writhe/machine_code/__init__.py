"""Machine code of the kernels: how it is named, stored, found and loaded.

Numba's own cache depends on the path and modification time of the file that defines a function,
does not notice edits of a callee in another file, and is not safe for concurrent writers. Here
machine code is stored under a hash of the sources it was compiled from, in folders that any number
of processes may share.
"""
