"""Features of the studio about motion over time."""
