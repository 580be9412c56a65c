"""Scenes: actors and objects in one coordinate layout, and the JSON scene file.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.scene.carrying import carried, carried_over, put_down
    from writhe.scene.file_certificate import CertifiedFile, certify_file
    from writhe.scene.layout import Layout
    from writhe.scene.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
else:
    __getattr__ = lazy_names(
        __name__,
        {
            **dict.fromkeys(("carried", "carried_over", "put_down"), "writhe.scene.carrying"),
            **dict.fromkeys(("CertifiedFile", "certify_file"), "writhe.scene.file_certificate"),
            "Layout": "writhe.scene.layout",
            **dict.fromkeys(
                ("Actor", "KeyMotion", "ObjectKind", "Scene", "SceneObject"), "writhe.scene.scene"
            ),
        },
    )

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
