"""Scenes: actors and objects in one coordinate layout, and the JSON scene file."""

from writhe.scene.carrying import carried, carried_over, put_down
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
    "carried",
    "carried_over",
    "certify_file",
    "put_down",
]
