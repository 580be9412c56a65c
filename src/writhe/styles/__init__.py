"""Styles learnt from clips, and paths followed in a style."""
