"""Walking: footsteps along a path, and the keys of the body over them."""

from writhe.animation.walking.walk_keys import walk

__all__ = ["walk"]
