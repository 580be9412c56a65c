"""Postures with their linking values: storage, filtering, neighbour search."""

from writhe.database.database import PostureDatabase
from writhe.database.on_body import database_on
from writhe.database.posture import normalise, posture_features
from writhe.database.search import NeighbourSearch

__all__ = ["NeighbourSearch", "PostureDatabase", "database_on", "normalise", "posture_features"]
