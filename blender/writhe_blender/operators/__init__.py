"""The operators, by what they work on: characters, poses, actions, obstacles, documents."""

from . import action, character, curve, document, drag, human, obstacles, pose, winding

MODULES = (human, character, pose, drag, action, winding, curve, obstacles, document)
