"""What the page displays: state, meshes, labels, diagnostics."""
