"""Postures with their linking values: storage, filtering, neighbour search."""

from writhe.database.database import PostureDatabase
from writhe.database.posture import normalise, posture_features
from writhe.database.search import NeighbourSearch

__all__ = ["NeighbourSearch", "PostureDatabase", "normalise", "posture_features"]
