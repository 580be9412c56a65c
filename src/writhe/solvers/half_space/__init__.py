"""Half-space inverse kinematics: characters evade objects that are moved into them."""

from writhe.solvers.half_space.collision_response import CollisionResponse
from writhe.solvers.half_space.half_space_poser import HalfSpacePoser
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import ResponseResult

__all__ = ["CollisionResponse", "HalfSpacePoser", "ResponseOptions", "ResponseResult"]
