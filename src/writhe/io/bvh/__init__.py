"""BVH files: the hierarchy and its channels, reading, writing, repair of lost bones."""
