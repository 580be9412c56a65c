"""Sources of posture databases: motion clips, clips with objects, and the built-in library."""
