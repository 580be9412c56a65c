"""The tolerance of the certificate."""

from __future__ import annotations

SLACK_M = 1e-3  # largest penetration beyond the allowance in a certified motion
# The gate uses 0.1 mm less, so that its steps are still certified after rounding.
GATE_SLACK_M = 0.9e-3
