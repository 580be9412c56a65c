"""One adapter per peer. Each runs in its own environment and needs NumPy only besides."""
