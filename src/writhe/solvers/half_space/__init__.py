"""Half-space inverse kinematics: characters that give way to what is moved into them."""

from writhe.solvers.half_space.collision_response import Response
from writhe.solvers.half_space.half_space_poser import HalfSpacePoser
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import ResponseResult

__all__ = ["HalfSpacePoser", "Response", "ResponseOptions", "ResponseResult"]
