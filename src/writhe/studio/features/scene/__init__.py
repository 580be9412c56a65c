"""Features of the studio about actors and objects in the scene."""
