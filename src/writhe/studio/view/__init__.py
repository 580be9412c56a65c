"""What the page is shown: state, meshes, labels, diagnostics."""
