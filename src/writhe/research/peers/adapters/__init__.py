"""One small adapter a peer. Each runs in an environment of its own and needs NumPy besides."""
