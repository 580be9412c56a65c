"""Features of the studio about topology coordinates."""
