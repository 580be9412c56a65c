"""Collision capsules of a character, fitted to its skin or its bones; their masses."""
