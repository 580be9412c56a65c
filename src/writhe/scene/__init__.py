"""Scenes: actors and objects in one coordinate layout, and the JSON scene file."""

from writhe.scene.file_certificate import CertifiedFile, certify_file
from writhe.scene.layout import Layout
from writhe.scene.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject

__all__ = [
    "Actor",
    "CertifiedFile",
    "KeyMotion",
    "Layout",
    "ObjectKind",
    "Scene",
    "SceneObject",
    "certify_file",
]
