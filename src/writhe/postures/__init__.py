"""Where posture databases come from: clips, objects beside them, and the built-in library."""
