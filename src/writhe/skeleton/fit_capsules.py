"""Capsules for skeletons that come without a body: fitted to the bones.

Where the skeleton is a person's (see `anatomy`; names are not needed, roles help where the shape
is unusual), radii are proportions of stature: limb girths of a lean adult after ANSUR II (Gordon et
al. 2014), a trunk of capsules lying across, hands and feet covered even where their bones are
missing. Any other bone gets a radius in proportion to its length. Helper and twist bones get none.

Shapes are cut so that near neighbours do not overlap at rest by more than can be allowed (see
docs/certificate.md): the balls at hip and shoulder centres belong to the parent, which turning the
limb does not move, and thighs and upper arms begin further out; clavicles do not reach the midline;
a hand is one part with its fingers, a forearm one with its twist bones.

The result is a plain tuple: replace, drop or add capsules as you like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton.figure import Capsule
from writhe.skeleton.guess_parts import Shape, infer_parts
from writhe.skeleton.skeleton import Skeleton

# radius over stature
_RADII = {
    "neck": 0.034,
    "head": 0.053,
    "clavicle": 0.027,
    "shoulder": 0.028,
    "elbow": 0.022,
    "wrist": 0.017,
    "finger": 0.006,
    "hip": 0.046,
    "knee": 0.031,
    "ankle": 0.019,
    "toe": 0.013,
}
# radius and half-width (to the sides, without the radius) over stature
_TRUNK = {"hips": (0.058, 0.036), "spine": (0.056, 0.026), "chest": (0.060, 0.034)}
_TRUNK_STEP = 0.050  # between the trunk's capsules, over stature
_HAND, _HEAD = 0.085, 0.115  # least lengths over stature: past the wrist, past the head's joint
_LIMB_RATIO = 0.15  # radius over length of a bone that is no part of a person
_SHORTEST = 0.012  # bones below this share of the stature are helpers
# thighs and upper arms begin this far out, clavicles this far from the midline, over stature
_OUT = {"hip": 0.055, "shoulder": 0.032, "clavicle": 0.072}
_ALLOWANCE_M = 0.005  # what near neighbours are allowed beyond their overlap at rest
_THINNEST = 0.5  # of a radius, when overlaps at rest are taken off


def fit_capsules(
    skeleton: Skeleton,
    stature_hint: float | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[Capsule, ...]:
    """Capsules around the bones of any skeleton.

    `stature_hint` in metres (else taken from the rest pose's extent); `roles` maps the human's
    joint names ("left_knee") to this skeleton's joints, as `Figure.roles` does; none are needed.
    """
    shape = Shape(skeleton, stature_hint)
    if not shape.stature > 0:
        raise WritheError("the skeleton has no extent: all its joints are in one place")
    parts = infer_parts(shape, roles or {})
    side = _sideways(shape, parts)
    capsules: list[Capsule] = []
    for joint in range(len(skeleton)):
        part = _part_name(shape, parts, joint)
        capsules += [replace(c, part=part) for c in _of_joint(shape, parts, joint, side)]
    if not capsules:
        raise WritheError("the skeleton has no bone long enough for a capsule")
    return _slimmed(shape, _without_covered_fingers(shape, parts, capsules))


def _of_joint(shape: Shape, parts: dict[int, str], joint: int, side: Floats) -> list[Capsule]:
    part = parts.get(joint, "")
    here, size = shape.positions[joint], shape.stature
    bones = [(c, shape.positions[c] - here) for c in shape.children[joint]]
    ends = [t - here for t in shape.tips.get(joint, [])]
    if part in _TRUNK:
        up = [b for c, b in bones if parts.get(c) in ("hips", "spine", "chest", "neck")]
        up = [b for b in up if np.linalg.norm(b) > _SHORTEST * size]
        first_hips = part == "hips" and parts.get(shape.parent[joint]) != "hips"
        trunk = [c for b in up[:1] for c in _across(shape, joint, part, b, side)]
        if part == "hips" and not first_hips:
            trunk = trunk[1:]  # the pelvis proper does not bend with the back
        # a clavicle, where a bone without a joint of its own leads to the arm
        arms = [b for c, b in bones if parts.get(c) == "shoulder" and _norm(b) > _SHORTEST * size]
        trunk += [_capsule(shape, joint, 0.4 * b, b, _RADII["clavicle"] * size) for b in arms]
        return trunk + (_seat(shape, parts, joint, side) if first_hips else [])
    every = [b for _, b in bones] + ends
    every = [b for b in every if np.linalg.norm(b) > _SHORTEST * size]
    if part == "head":
        along = _unit(max(every, key=lambda b: float(b[1]), default=np.array([0.0, 1.0, 0.0])))
        length = max(max((float(b @ along) for b in every), default=0.0), _HEAD * size)
        radius = _RADII["head"] * size
        return [_capsule(shape, joint, 0.5 * radius * along, (length - radius) * along, radius)]
    if part == "wrist":  # one capsule for the hand, at the uppermost of joints in one place
        return [] if parts.get(shape.parent[joint]) == "wrist" else [_hand(shape, joint)]
    if part == "ankle" and every:
        bone = max(every, key=_norm)
        radius = _RADII["ankle"] * size
        heel = np.array([bone[0], 0.0, bone[2]])
        return [_capsule(shape, joint, -0.2 * heel + 0.35 * (bone - heel), bone, radius)]
    if part in _RADII:
        # a limb has one bone; twist bones lie along it
        kept = every if part == "finger" else sorted(every, key=_norm)[-1:]
        first = parts.get(shape.parent[joint]) != part
        return [
            _capsule(shape, joint, _begin(shape, joint, part, b, side) * b, b, _RADII[part] * size)
            if first
            else _capsule(shape, joint, 0.0 * b, b, _RADII[part] * size)
            for b in kept
        ]
    return [
        _capsule(
            shape, joint, 0.0 * b, b, float(np.clip(_LIMB_RATIO * _norm(b), 0.003, 0.05 * size))
        )
        for b in _not_along_another(every)
    ]


def _part_name(shape: Shape, parts: dict[int, str], joint: int) -> str:
    """The joint's own name, or the wrist's for fingers and the elbow's for twist bones."""
    wanted = {"finger": ("wrist", "finger"), "wrist": ("wrist",), "elbow": ("elbow",)}
    part = parts.get(joint, "")
    if part not in wanted:
        return ""
    top = joint
    while parts.get(shape.parent[top]) in wanted[part]:
        top = shape.parent[top]
    if part == "finger" and parts.get(top) != "wrist":
        # a thumb beside the wrist
        beside = [j for j in shape.children[shape.parent[top]] if parts.get(j) == "wrist"]
        top = beside[0] if beside else top
    return shape.skeleton.names[top]


def _begin(shape: Shape, joint: int, part: str, bone: Floats, side: Floats) -> float:
    """Where along its bone a limb's first capsule begins, 0 to 0.6."""
    out = _OUT.get(part, 0.0) * shape.stature
    if part == "clavicle":
        rate = float(bone @ side)
        here = float((shape.positions[joint] - shape.positions[0]) @ side) * np.sign(rate)
        return float(np.clip((out - here) / max(abs(rate), 1e-9), 0.0, 0.8))
    return min(out / _norm(bone), 0.6)


def _norm(v: Floats) -> float:
    return float(np.linalg.norm(v))


def _unit(v: Floats) -> Floats:
    return v / np.linalg.norm(v)


def _capsule(shape: Shape, joint: int, start: Floats, end: Floats, radius: float) -> Capsule:
    """A capsule from world vectors that start at the joint."""
    turn = shape.rotations[joint].T
    return Capsule(shape.skeleton.names[joint], turn @ start, turn @ end, radius)


def _sideways(shape: Shape, parts: dict[int, str]) -> Floats:
    """The unit vector from one side of a person to the other."""
    for part in ("hip", "shoulder"):
        at = [shape.positions[j] for j, p in parts.items() if p == part]
        if len(at) >= 2 and _norm(at[-1] - at[0]) > 1e-6:
            return _unit(at[-1] - at[0])
    return np.array([1.0, 0.0, 0.0])


def _across(shape: Shape, joint: int, part: str, bone: Floats, side: Floats) -> list[Capsule]:
    radius, half = (x * shape.stature for x in _TRUNK[part])
    count = max(1, round(_norm(bone) / (_TRUNK_STEP * shape.stature)))
    out: list[Capsule] = []
    for i in range(count):
        at = bone * (i / count if part == "hips" else (i + 0.5) / count)
        # towards the neck the trunk narrows
        narrow = 0.75 if part == "chest" and i == count - 1 and count > 1 else 1.0
        reach = half * narrow * side
        out.append(_capsule(shape, joint, at - reach, at + reach, radius * (0.5 + 0.5 * narrow)))
    return out


def _seat(shape: Shape, parts: dict[int, str], joint: int, side: Floats) -> list[Capsule]:
    """Across between the two hip joints, which may lie well below the hips' own."""
    at = [shape.positions[j] - shape.positions[joint] for j, p in parts.items() if p == "hip"]
    if len(at) < 2:
        return []
    radius, half = (x * shape.stature for x in _TRUNK["hips"])
    middle = 0.8 * np.mean(at, axis=0)
    out = [_capsule(shape, joint, middle - half * side, middle + half * side, radius)]
    if _norm(middle) > 0.5 * radius:  # and, thinner, between them and the back, which bends
        upper = 0.4 * middle
        out.append(_capsule(shape, joint, upper - half * side, upper + half * side, 0.75 * radius))
    return out


def _hand(shape: Shape, joint: int) -> Capsule:
    """From the wrist towards its fingertips, or on along the forearm where there are none."""
    here = shape.positions[joint]
    below = range(joint, int(shape.skeleton.tree.subtree_end[joint]))
    points = [shape.positions[j] for j in below] + [t for j in below for t in shape.tips.get(j, [])]
    furthest = max(points, key=lambda p: _norm(p - here)) - here
    up = shape.parent[joint]
    while shape.parent[up] >= 0 and _norm(here - shape.positions[up]) < _SHORTEST * shape.stature:
        up = shape.parent[up]
    forearm = here - shape.positions[up]
    length = max(_norm(furthest), _HAND * shape.stature)
    along = _unit(furthest) if _norm(furthest) > _SHORTEST * shape.stature else _unit(forearm)
    radius = _RADII["wrist"] * shape.stature
    return _capsule(shape, joint, 0.5 * radius * along, (length - radius) * along, radius)


def _not_along_another(bones: list[Floats]) -> list[Floats]:
    kept: list[Floats] = []
    for bone in sorted(bones, key=_norm, reverse=True):
        if all(float(bone @ k) < 0.97 * _norm(bone) * _norm(k) for k in kept):
            kept.append(bone)
    return kept


def _without_covered_fingers(
    shape: Shape, parts: dict[int, str], capsules: list[Capsule]
) -> list[Capsule]:
    """Fingers that lie in the hand's own capsule at rest need none."""

    def ends(c: Capsule) -> list[Floats]:
        j = shape.skeleton.index(c.joint)
        at, turn = shape.positions[j], shape.rotations[j]
        return [at + turn @ c.start_in_joint, at + turn @ c.end_in_joint]

    def is_finger(c: Capsule) -> bool:
        return parts.get(shape.skeleton.index(c.joint)) == "finger"

    hands = [(c, ends(c)) for c in capsules if not is_finger(c) and c.part]
    return [
        c
        for c in capsules
        if not is_finger(c)
        or not any(
            c.part == hand.part
            and all(segment_distance(p, p, *line) < hand.radius_m for p in ends(c))
            for hand, line in hands
        )
    ]


def _slimmed(shape: Shape, capsules: list[Capsule]) -> tuple[Capsule, ...]:
    """Capsules made thinner where parts overlap at rest by more than can be allowed."""
    index = [shape.skeleton.index(c.joint) for c in capsules]
    above = _carrying_parents(shape, index)
    ends = [
        tuple(
            shape.positions[j] + shape.rotations[j] @ p for p in (c.start_in_joint, c.end_in_joint)
        )
        for j, c in zip(index, capsules, strict=True)
    ]
    radii = np.array([c.radius_m for c in capsules])
    least = _THINNEST * radii
    thinnest: dict[str, float] = {}
    for c in capsules:
        thinnest[c.part_name] = min(thinnest.get(c.part_name, np.inf), c.radius_m)
    apart = [
        (a, b, segment_distance(*ends[a], *ends[b]))
        for a in range(len(capsules))
        for b in range(a + 1, len(capsules))
        if capsules[a].part_name != capsules[b].part_name
        and index[a] != index[b]
        and above[index[a]] != index[b]
        and above[index[b]] != index[a]
    ]
    for _ in range(20):
        changed = False
        for a, b, distance in apart:
            half = 0.5 * min(thinnest[capsules[a].part_name], thinnest[capsules[b].part_name])
            allowed = 0.5 * half if bones_between(shape, index[a], index[b]) < 4 else 0.0
            both = float(radii[a] + radii[b])
            target = distance + allowed - _ALLOWANCE_M
            if both > target + 1e-6:
                thinner = np.maximum(radii[[a, b]] * max(target / both, 0.3), least[[a, b]])
                changed = changed or bool((thinner < radii[[a, b]] - 1e-6).any())
                radii[[a, b]] = thinner
        if not changed:
            break
    return tuple(replace(c, radius_m=float(r)) for c, r in zip(capsules, radii, strict=True))


def _carrying_parents(shape: Shape, carrying: list[int]) -> dict[int, int]:
    """The nearest ancestor with a capsule of each joint with one; -1 where there is none."""
    out: dict[int, int] = {}
    for joint in set(carrying):
        up = shape.parent[joint]
        while up >= 0 and up not in carrying:
            up = shape.parent[up]
        out[joint] = up
    return out


def bones_between(shape: Shape, a: int, b: int) -> int:
    """How many bones with length lie between two joints; 99 where they do not hang together."""
    names = shape.skeleton.names
    if a == b:
        return 0
    if shape.skeleton.ancestors(names[a])[-1] != shape.skeleton.ancestors(names[b])[-1]:
        return 99
    path = shape.skeleton.path(names[a], names[b])
    top = min(path)
    return sum(1 for j in path if j != top and shape.length(j) > 0.004 * shape.stature)


def segment_distance(a: Floats, b: Floats, c: Floats, d: Floats) -> float:
    """The distance of two segments over samples, exact enough to size capsules."""
    s = np.linspace(0.0, 1.0, 33)[:, None]
    p, q = a + s * (b - a), c + s * (d - c)
    return float(np.linalg.norm(p[:, None] - q[None], axis=-1).min())
