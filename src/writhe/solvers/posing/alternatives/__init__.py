"""Posing methods besides the default: published ones, and damped least squares."""
