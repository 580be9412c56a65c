"""Strand pairs of an actor and an object of its scene."""

from __future__ import annotations

from writhe.scene.scene import Scene
from writhe.topology import Bundle, Strand


def object_bundle(scene: Scene, actor: str, item: str) -> Bundle:
    """All pairs of an actor's and an object's strands, on the scene's skeleton.

    The object's strands vary fastest: (torso, leg 1), (torso, leg 2) ...
    """
    figure = scene.actor(actor).figure
    figure_strands = [
        Strand.through(figure.skeleton, names, name=name) for name, names in figure.strands
    ]
    actor_strands = [
        Strand(s.name, tuple(f"{actor}.{j}" for j in s.joints), s.offsets_in_joint)
        for s in figure_strands
    ]
    strands = scene.object(item).strands
    object_strands = [
        Strand.along(p, joint=item, name=f"{item}.{name}") for name, p in strands.items()
    ]
    pairs = [(a.name, b.name) for a in actor_strands for b in object_strands]
    skeleton = scene.layout.skeleton
    return Bundle.compile(skeleton.tree, skeleton.index, [*actor_strands, *object_strands], pairs)
