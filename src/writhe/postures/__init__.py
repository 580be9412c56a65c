"""Posture databases: built from motion clips (with objects, too), and the built-in library."""
