"""Kernels that evaluate rows: quantities, contacts, joint limits, half-spaces, tangles."""
