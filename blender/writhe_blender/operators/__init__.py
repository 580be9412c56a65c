"""The operators, by what they work on: characters, poses, actions, obstacles."""

from . import action, character, curve, drag, human, obstacles, pose, winding

MODULES = (human, character, pose, drag, action, winding, curve, obstacles)
