"""Scenes: actors and objects in one coordinate layout, and the JSON scene file."""

from writhe.scene.layout import Layout
from writhe.scene.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject

__all__ = ["Actor", "KeyMotion", "Layout", "ObjectKind", "Scene", "SceneObject"]
