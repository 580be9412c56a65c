"""How an actor is linked with an object of its scene: their strands, paired."""

from __future__ import annotations

from writhe.scene.scene import Scene
from writhe.topology import Bundle, Strand


def object_bundle(scene: Scene, actor: str, thing: str) -> Bundle:
    """The actor's strands with each of the object's, on the scene's layout.

    Pairs run over the object's strands first: (torso, leg 1), (torso, leg 2) ...
    """
    figure = scene.actor(actor).figure
    own = [Strand.through(figure.skeleton, names, name=name) for name, names in figure.strands]
    body = [
        Strand(s.name, tuple(f"{actor}.{j}" for j in s.joints), s.offsets_in_joint) for s in own
    ]
    strands = scene.object(thing).strands
    along = [Strand.along(p, joint=thing, name=f"{thing}.{name}") for name, p in strands.items()]
    pairs = [(a.name, b.name) for a in body for b in along]
    skeleton = scene.layout.skeleton
    return Bundle.compile(skeleton.tree, skeleton.index, [*body, *along], pairs)
