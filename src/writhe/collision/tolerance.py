"""The tolerance of the certificate."""

from __future__ import annotations

SLACK_M = 1e-3  # penetration beyond the allowance that is still certified
# The gate keeps a margin of 0.1 mm, so that its steps still certify after rounding.
GATE_SLACK_M = 0.9e-3
