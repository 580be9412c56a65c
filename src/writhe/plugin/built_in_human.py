"""The built-in human as an armature with a skin, for users without a character of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.skeleton.figures import figure

_SHORTEST_M = 0.03  # bones of animation programs have a length


def human_to_plain(*, fingers: bool) -> dict[str, Any]:
    """Bones and skin of the built-in human at rest: metres, Y up.

    parent: (n,) of each bone, -1 for the first; head, tail: (n, 3); vertices (v, 3), triangles
    (t, 3), and weights as `weight_vertex`, `weight_bone`, `weight`, one entry for every weight.
    """
    body = figure("human_with_fingers" if fingers else "human")
    skeleton, skin = body.skeleton, body.skin
    if skin is None:
        raise WritheError(f"the figure {body.name!r} has no skin")
    head = forward(skeleton, skeleton.rest_configuration).positions
    parent = skeleton.tree.parent
    tail = np.empty_like(head)
    for j in range(len(skeleton)):
        children = np.flatnonzero(parent == j)
        along = head[children].mean(axis=0) - head[j] if len(children) else np.zeros(3)
        if np.linalg.norm(along) < _SHORTEST_M:
            above = head[j] - head[parent[j]] if parent[j] >= 0 else np.array([0.0, 1.0, 0.0])
            along = max(_SHORTEST_M, 0.4 * float(np.linalg.norm(above))) * (
                above / np.linalg.norm(above)
            )
        tail[j] = head[j] + along
    vertex, slot = np.nonzero(skin.weights > 0.0)
    return {
        "name": "Human",
        "bones": list(skeleton.names),
        "parent": parent.tolist(),
        "head": head,
        "tail": tail,
        "vertices": skin.vertices,
        "triangles": skin.triangles,
        "weight_vertex": vertex,
        "weight_bone": skin.joints[vertex, slot],
        "weight": skin.weights[vertex, slot],
    }
