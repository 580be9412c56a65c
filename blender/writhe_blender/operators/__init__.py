"""The operators, by what they work on: characters, poses, actions, obstacles."""

from . import action, character, drag, obstacles, pose

MODULES = (character, pose, drag, action, obstacles)
