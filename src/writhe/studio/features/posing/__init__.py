"""Features of the studio about poses of a character."""
