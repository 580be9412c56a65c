"""Databases of two people: from clips of two, or from authored interactions."""

from writhe.postures.pairs.build import PairReport, build_pair_database, read_pairs
from writhe.postures.pairs.store import builtin_pairs

__all__ = ["PairReport", "build_pair_database", "builtin_pairs", "read_pairs"]
