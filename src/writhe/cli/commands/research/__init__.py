"""Commands that run experiments and measurements."""
