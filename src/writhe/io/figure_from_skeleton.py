"""A figure from the skeleton of any person: roles, strands and, if possible, capsules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.io.body_shapes import body_shapes, with_anatomy
from writhe.io.stored_body import same_skin, stored_body
from writhe.recognition import ROLES, Recognition, corrected, recognise, require_person
from writhe.recognition.corrections import corrections_of
from writhe.skeleton import Capsule, Figure, Motion, Skeleton, Skin
from writhe.skeleton.figures import figure, figure_names

# nearer points of a strand would make segments without direction
SHORTEST_STRAND_SEGMENT_M = 0.01
_FILE_ROUNDING_M = 1e-4  # bones that differ by less differ by the rounding of files
_TORSO, _ARM, _LEG = ("hips", "head"), ("shoulder", "wrist"), ("hip", "toe")


@checked
def figure_of(
    source: Motion | Skeleton,
    *,
    name: str | None = None,
    roles: Mapping[str, str | None] | None = None,
    skin: Skin | None = None,
    partial: bool = False,
    anatomy: bool = False,
    stored: object = None,
    shapes: tuple[Capsule, ...] | None = None,
) -> Figure:
    """A figure of a person's skeleton with roles and the five strands of the body.

    roles: role to joint name, by default those that the file states (VRM); the others are
        recognised from structure and names.
    skin: a skin in the rest pose, to which the collision capsules are fitted; without one they are
        fitted to the bones. Bones and skin of a built-in figure get its capsules.
    partial: return a figure with the roles found instead of raising if essential ones are missing.
    anatomy: give the joints masses by their capsules and, if it is a person, the joint limits of
        the built-in human, where they have none.
    stored: what `io.stored_body.body_note` wrote into a file: its shapes, roles and limits are used
        if they belong to this skeleton and skin, and no correction changes the roles.
    shapes: the collision capsules, instead of fitted ones.
    """
    skeleton = source.skeleton if isinstance(source, Motion) else source
    label = name or (source.name if isinstance(source, Motion) else "character")
    if roles is None and isinstance(source, Motion):
        roles = corrected(skeleton, source.source.get("roles"))
    known_body = None if stored is None else stored_body(stored, skeleton, skin)
    if known_body is not None:
        roles = corrected(skeleton, {role: known_body.roles.get(role) for role in ROLES})
    if roles is not None:
        match = recognise(skeleton, roles)
    elif partial:
        match = recognise(skeleton)
    else:
        match = require_person(skeleton, label)
    strands = _strands(skeleton, match) if match.is_person else ()
    found = tuple((r, match.roles[r]) for r in ROLES if r in match.roles)
    known = built_in_figure(skeleton)
    own_skin = known is not None and not _has_skin_of(known, skeleton, skin)
    if shapes is not None:
        capsules = shapes
    elif known is not None and not own_skin:
        capsules = known.capsules
    elif known_body is not None and dict(found) == known_body.roles:
        capsules = known_body.capsules
        skeleton = skeleton.with_limits(known_body.limits)
    else:
        capsules = body_shapes(skeleton, match, skin)
    body = Figure(
        label,
        skeleton,
        capsules,
        skin,
        strands=strands,
        roles=found,
        folds=() if known is None else known.folds,
        corrected=bool(corrections_of(skeleton))
        and (known_body is None or dict(found) != known_body.roles),
    )
    return with_anatomy(body, match) if anatomy else body


@dataclass(frozen=True)
class BodyKey:
    """What the figure of a motion depends on; equal keys have equal figures."""

    skeleton: str
    stated_roles: str
    corrections: str
    motion: Motion = field(compare=False, repr=False)

    @classmethod
    def of(cls, motion: Motion) -> BodyKey:
        """The key of the figure that moves in `motion`."""
        stated: Mapping[str, object] = motion.source.get("roles") or {}
        changes = corrections_of(motion.skeleton)
        return cls(
            _skeleton_digest(motion.skeleton),
            repr(sorted(stated.items())),
            repr(sorted(changes.items())),
            motion,
        )


@lru_cache(maxsize=256)
def fitted_figure(key: BodyKey) -> Figure:
    """`figure_of(motion, partial=True)`, fitted once for all clips of one skeleton.

    Fitting takes longer than certifying a short clip. The name is that of the first clip.
    """
    return figure_of(key.motion, partial=True)


def built_in_figure(skeleton: Skeleton) -> Figure | None:
    """The built-in figure with the same bones (saved to a file and read again), if any."""
    return next((f for f in map(figure, figure_names()) if same_bones(f.skeleton, skeleton)), None)


def _has_skin_of(known: Figure, skeleton: Skeleton, skin: Skin | None) -> bool:
    """Whether a skin, if there is one, is that of a figure with the same bones.

    If not, somebody gave the bones another mesh, which the figure's capsules may not cover.
    """
    return skin is None or known.skin is None or same_skin(known.skin, skin, skeleton)


def same_bones(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons have the same bones; root offsets and joint kinds may differ."""
    if a.names != b.names:
        return False
    apart = np.abs(a.tree.offset - b.tree.offset)[1:]  # without the root
    turned = np.abs(a.tree.rest - b.tree.rest)
    return max(apart.max(initial=0.0), turned.max()) < _FILE_ROUNDING_M


def _strands(skeleton: Skeleton, match: Recognition) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Torso, arms and legs as polylines through all their joints, extended to a tip."""
    specs = [("torso", _TORSO, "")]
    specs += [(f"{s}_arm", _ARM, f"{s}_") for s in ("left", "right")]
    specs += [(f"{s}_leg", _LEG, f"{s}_") for s in ("left", "right")]
    strands: list[tuple[str, tuple[str, ...]]] = []
    for label, (first, last), side in specs:
        start = match.roles[side + first]
        end = next(
            match.roles[side + r]
            for r in (last, "neck", "chest", "elbow", "ankle", first)
            if side + r in match.roles
        )
        path = [skeleton.names[j] for j in skeleton.path(start, end)]
        strands.append((label, _thinned(skeleton, [*path, *_path_to_tip(skeleton, end)])))
    return tuple(strands)


def _path_to_tip(skeleton: Skeleton, joint: str) -> list[str]:
    """The joints and the tip between `joint` and the farthest point below it in the rest pose."""
    at = skeleton.index(joint)
    inside = range(at, int(skeleton.tree.subtree_end[at]))
    positions = _rest_positions(skeleton)
    ends = [(skeleton.names[j], skeleton.names[j]) for j in inside]
    ends += [(t.name, t.joint) for t in skeleton.tips if skeleton.index(t.joint) in inside]
    tip, owner = max(ends, key=lambda e: float(np.linalg.norm(positions[e[0]] - positions[joint])))
    path = [skeleton.names[j] for j in skeleton.path(joint, owner)][1:]
    return path if tip == owner else [*path, tip]


def _thinned(skeleton: Skeleton, points: list[str]) -> tuple[str, ...]:
    """The points without those that coincide with the previous one; both ends are kept."""
    positions = _rest_positions(skeleton)
    kept = [points[0]]
    for name in points[1:]:
        if float(np.linalg.norm(positions[name] - positions[kept[-1]])) > SHORTEST_STRAND_SEGMENT_M:
            kept.append(name)
    if kept[-1] != points[-1] and len(kept) > 1:
        kept[-1] = points[-1]
    return tuple(kept)


def _rest_positions(skeleton: Skeleton) -> dict[str, Floats]:
    from writhe.skeleton import forward

    rest = forward(skeleton, skeleton.rest_configuration)
    positions = {name: rest.positions[j] for j, name in enumerate(skeleton.names)}
    return positions | {t.name: rest.tip(t.name) for t in skeleton.tips}


@lru_cache(maxsize=256)
def _skeleton_digest(skeleton: Skeleton) -> str:
    """A hash of the joints and tips; equal skeletons, and only those, have equal hashes."""
    digest = hashlib.blake2b(digest_size=16)
    for joint in skeleton.joints:
        digest.update(repr((joint.name, joint.parent, int(joint.kind))).encode())
        arrays = [joint.offset_in_parent, joint.rest, joint.axis]
        arrays += [joint.centre_of_mass, joint.inertia]
        if joint.limits is not None:
            arrays += [joint.limits.lower, joint.limits.upper, joint.limits.frame]
        for array in arrays:
            digest.update(np.asarray(array, dtype=np.float64).tobytes())
        digest.update(repr((joint.limits is None, joint.mass_kg)).encode())
    for tip in skeleton.tips:
        digest.update(repr((tip.name, tip.joint)).encode())
        digest.update(np.asarray(tip.offset_in_joint, dtype=np.float64).tobytes())
    return digest.hexdigest()
