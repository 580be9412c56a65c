"""Randomised tests for false certificates, unexpected exceptions and crashes of file readers."""
