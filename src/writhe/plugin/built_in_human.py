"""The built-in human as an armature with a skin, for users without a character of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.errors import WritheError
from writhe.plugin.bone_frames import BoneFrames
from writhe.skeleton import Figure, Skin
from writhe.skeleton.figures import figure


def human_to_plain(*, fingers: bool) -> dict[str, Any]:
    """Bones and skin of the built-in human at rest (see `armature_to_plain`)."""
    body = figure("human_with_fingers" if fingers else "human")
    if body.skin is None:
        raise WritheError(f"the figure {body.name!r} has no skin")
    return {"name": "Human", **armature_to_plain(body, BoneFrames.of(body.skeleton))}


def armature_to_plain(body: Figure, bones: BoneFrames) -> dict[str, Any]:
    """Bones and skin of a figure at rest: metres, Y up.

    parent: (n,) of each bone, -1 for the first; rest: (n, 4, 4) world matrices of the bones;
    length: (n,); skin: None or vertices (v, 3), triangles (t, 3) and weights as `weight_vertex`,
    `weight_bone`, `weight`, one entry for every weight.
    """
    return {
        "bones": list(body.skeleton.names),
        "parent": body.skeleton.tree.parent.tolist(),
        "rest": bones.rest,
        "length": bones.length_m,
        "skin": None if body.skin is None else _skin_to_plain(body.skin),
    }


def _skin_to_plain(skin: Skin) -> dict[str, Any]:
    vertex, slot = np.nonzero(skin.weights > 0.0)
    return {
        "vertices": skin.vertices,
        "triangles": skin.triangles,
        "weight_vertex": vertex,
        "weight_bone": skin.joints[vertex, slot],
        "weight": skin.weights[vertex, slot],
    }
