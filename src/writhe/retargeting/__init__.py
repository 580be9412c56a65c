"""Retargeting motion from one skeleton to another, with planted feet locked."""
