"""Fits capsules to the bones of a skeleton that has none.

For a person's skeleton (see `guess_parts`; names are not needed, roles help if the proportions are
unusual), radii are proportional to stature: limb girths of a lean adult after ANSUR II (Gordon et
al. 2014), lateral capsules for the trunk, capsules for hands and feet even if their bones are
missing. Any other bone gets a radius proportional to its length. Helper and twist bones get none.

Capsules are placed so that near neighbours do not overlap at rest by more than the contact policy
allows (docs/certificate.md): the balls at hip and shoulder centres belong to the parent, so that
they do not rotate with the limb, and thighs and upper arms begin further out; clavicles do not
reach the midline; a hand and its fingers are one part, a forearm and its twist bones too.

The result is a plain tuple in which capsules can be replaced, removed or added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, unit
from writhe.errors import WritheError
from writhe.skeleton.figure import Capsule
from writhe.skeleton.shape_fitting.guess_parts import RestGeometry, infer_parts
from writhe.skeleton.skeleton import Skeleton

# radius / stature
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
# (radius, lateral half-width without the radius) / stature
_TRUNK = {"hips": (0.058, 0.036), "spine": (0.056, 0.026), "chest": (0.060, 0.034)}
_TRUNK_STEP = 0.050  # distance of the trunk's capsules / stature
# smallest length / stature of hand and head, from the joints wrist and head
_HAND, _HEAD = 0.085, 0.115
_LIMB_RATIO = 0.15  # radius / length of a bone that is not part of a person
_SHORTEST = 0.012  # length / stature: shorter bones are helpers
# distance / stature at which thighs and upper arms start from the joint, clavicles from the midline
_OUT = {"hip": 0.055, "shoulder": 0.032, "clavicle": 0.072}
_ALLOWANCE_M = 0.005  # allowance of near neighbours beyond their overlap at rest
_THINNEST = 0.5  # of the fitted radius: lower limit when overlaps at rest are removed


def fit_to_bones(
    skeleton: Skeleton,
    stature_hint: float | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[Capsule, ...]:
    """Capsules around the bones of any skeleton.

    `stature_hint` is in metres, by default the extent of the rest pose; `roles` optionally maps
    roles ("left_knee") to this skeleton's joints, as `Figure.roles` does.
    """
    geometry = RestGeometry(skeleton, stature_hint)
    if not geometry.stature > 0:
        raise WritheError("the skeleton has no extent: all its joints have the same position")
    parts = infer_parts(geometry, roles or {})
    side = _sideways(geometry, parts)
    capsules: list[Capsule] = []
    for joint in range(len(skeleton)):
        part = _part_name(geometry, parts, joint)
        capsules += [replace(c, part=part) for c in _of_joint(geometry, parts, joint, side)]
    if not capsules:
        raise WritheError("the skeleton has no bone long enough for a capsule")
    return _thinned(geometry, _without_covered_fingers(geometry, parts, capsules))


def _of_joint(
    geometry: RestGeometry, parts: dict[int, str], joint: int, side: Floats
) -> list[Capsule]:
    part = parts.get(joint, "")
    here, size = geometry.positions[joint], geometry.stature
    bones = [(c, geometry.positions[c] - here) for c in geometry.children[joint]]
    ends = [t - here for t in geometry.tips.get(joint, [])]
    if part in _TRUNK:
        up = [b for c, b in bones if parts.get(c) in ("hips", "spine", "chest", "neck")]
        up = [b for b in up if np.linalg.norm(b) > _SHORTEST * size]
        first_hips = part == "hips" and parts.get(geometry.parent[joint]) != "hips"
        trunk = [c for b in up[:1] for c in _across(geometry, joint, part, b, side)]
        if part == "hips" and not first_hips:
            trunk = trunk[1:]  # the pelvis does not follow the bend of the spine
        # a clavicle capsule on the chest, if the rig has no clavicle joint
        arms = [b for c, b in bones if parts.get(c) == "shoulder" and _norm(b) > _SHORTEST * size]
        trunk += [_capsule(geometry, joint, 0.4 * b, b, _RADII["clavicle"] * size) for b in arms]
        return trunk + (_seat(geometry, parts, joint, side) if first_hips else [])
    every = [b for _, b in bones] + ends
    every = [b for b in every if np.linalg.norm(b) > _SHORTEST * size]
    if part == "head":
        along = unit(max(every, key=lambda b: float(b[1]), default=np.array([0.0, 1.0, 0.0])))
        length = max(max((float(b @ along) for b in every), default=0.0), _HEAD * size)
        radius = _RADII["head"] * size
        return [_capsule(geometry, joint, 0.5 * radius * along, (length - radius) * along, radius)]
    if part == "wrist":  # one capsule for the hand, on the topmost of coincident joints
        return [] if parts.get(geometry.parent[joint]) == "wrist" else [_hand(geometry, joint)]
    if part == "ankle" and every:
        bone = max(every, key=_norm)
        radius = _RADII["ankle"] * size
        heel = np.array([bone[0], 0.0, bone[2]])
        return [_capsule(geometry, joint, -0.2 * heel + 0.35 * (bone - heel), bone, radius)]
    if part in _RADII:
        # the longest bone from this joint; twist bones lie along it
        kept = every if part == "finger" else sorted(every, key=_norm)[-1:]
        first = parts.get(geometry.parent[joint]) != part
        return [
            _capsule(
                geometry,
                joint,
                _start_fraction(geometry, joint, part, b, side) * b,
                b,
                _RADII[part] * size,
            )
            if first
            else _capsule(geometry, joint, 0.0 * b, b, _RADII[part] * size)
            for b in kept
        ]
    return [
        _capsule(
            geometry, joint, 0.0 * b, b, float(np.clip(_LIMB_RATIO * _norm(b), 0.003, 0.05 * size))
        )
        for b in _not_along_another(every)
    ]


def _part_name(geometry: RestGeometry, parts: dict[int, str], joint: int) -> str:
    """The wrist's name for fingers, the elbow's for twist bones, else empty (the joint's own)."""
    chains = {"finger": ("wrist", "finger"), "wrist": ("wrist",), "elbow": ("elbow",)}
    part = parts.get(joint, "")
    if part not in chains:
        return ""
    top = joint
    while parts.get(geometry.parent[top]) in chains[part]:
        top = geometry.parent[top]
    if part == "finger" and parts.get(top) != "wrist":
        # a thumb that is a sibling of the wrist
        beside = [j for j in geometry.children[geometry.parent[top]] if parts.get(j) == "wrist"]
        top = beside[0] if beside else top
    return geometry.skeleton.names[top]


def _start_fraction(
    geometry: RestGeometry, joint: int, part: str, bone: Floats, side: Floats
) -> float:
    """Start of a limb's first capsule as a fraction of its bone, 0 to 0.8."""
    out = _OUT.get(part, 0.0) * geometry.stature
    if part == "clavicle":
        rate = float(bone @ side)
        here = float((geometry.positions[joint] - geometry.positions[0]) @ side) * np.sign(rate)
        return float(np.clip((out - here) / max(abs(rate), 1e-9), 0.0, 0.8))
    return min(out / _norm(bone), 0.6)


def _norm(v: Floats) -> float:
    return float(np.linalg.norm(v))


def _capsule(
    geometry: RestGeometry, joint: int, start: Floats, end: Floats, radius: float
) -> Capsule:
    """A capsule from ends relative to the joint, in world axes."""
    turn = geometry.rotations[joint].T
    return Capsule(geometry.skeleton.names[joint], turn @ start, turn @ end, radius)


def _sideways(geometry: RestGeometry, parts: dict[int, str]) -> Floats:
    """The lateral unit vector of a person."""
    for part in ("hip", "shoulder"):
        at = [geometry.positions[j] for j, p in parts.items() if p == part]
        if len(at) >= 2 and _norm(at[-1] - at[0]) > 1e-6:
            return unit(at[-1] - at[0])
    return np.array([1.0, 0.0, 0.0])


def _across(
    geometry: RestGeometry, joint: int, part: str, bone: Floats, side: Floats
) -> list[Capsule]:
    radius, half = (x * geometry.stature for x in _TRUNK[part])
    count = max(1, round(_norm(bone) / (_TRUNK_STEP * geometry.stature)))
    out: list[Capsule] = []
    for i in range(count):
        at = bone * (i / count if part == "hips" else (i + 0.5) / count)
        # the trunk narrows towards the neck
        narrow = 0.75 if part == "chest" and i == count - 1 and count > 1 else 1.0
        reach = half * narrow * side
        out.append(_capsule(geometry, joint, at - reach, at + reach, radius * (0.5 + 0.5 * narrow)))
    return out


def _seat(geometry: RestGeometry, parts: dict[int, str], joint: int, side: Floats) -> list[Capsule]:
    """Lateral capsules between the two hip joints, which may lie well below the joint `hips`."""
    at = [geometry.positions[j] - geometry.positions[joint] for j, p in parts.items() if p == "hip"]
    if len(at) < 2:
        return []
    radius, half = (x * geometry.stature for x in _TRUNK["hips"])
    middle = 0.8 * np.mean(at, axis=0)
    out = [_capsule(geometry, joint, middle - half * side, middle + half * side, radius)]
    if _norm(middle) > 0.5 * radius:  # a thinner one between them and the spine
        upper = 0.4 * middle
        out.append(
            _capsule(geometry, joint, upper - half * side, upper + half * side, 0.75 * radius)
        )
    return out


def _hand(geometry: RestGeometry, joint: int) -> Capsule:
    """A capsule from the wrist to the fingertips, or along the forearm if there are none."""
    here = geometry.positions[joint]
    below = range(joint, int(geometry.skeleton.tree.subtree_end[joint]))
    points = [geometry.positions[j] for j in below] + [
        t for j in below for t in geometry.tips.get(j, [])
    ]
    furthest = max(points, key=lambda p: _norm(p - here)) - here
    up = geometry.parent[joint]
    while (
        geometry.parent[up] >= 0
        and _norm(here - geometry.positions[up]) < _SHORTEST * geometry.stature
    ):
        up = geometry.parent[up]
    forearm = here - geometry.positions[up]
    length = max(_norm(furthest), _HAND * geometry.stature)
    along = unit(furthest) if _norm(furthest) > _SHORTEST * geometry.stature else unit(forearm)
    radius = _RADII["wrist"] * geometry.stature
    return _capsule(geometry, joint, 0.5 * radius * along, (length - radius) * along, radius)


def _not_along_another(bones: list[Floats]) -> list[Floats]:
    kept: list[Floats] = []
    for bone in sorted(bones, key=_norm, reverse=True):
        if all(float(bone @ k) < 0.97 * _norm(bone) * _norm(k) for k in kept):
            kept.append(bone)
    return kept


def _without_covered_fingers(
    geometry: RestGeometry, parts: dict[int, str], capsules: list[Capsule]
) -> list[Capsule]:
    """The capsules without those of fingers that are inside the hand's capsule at rest."""

    def ends(c: Capsule) -> list[Floats]:
        j = geometry.skeleton.index(c.joint)
        at, turn = geometry.positions[j], geometry.rotations[j]
        return [at + turn @ c.start_in_joint, at + turn @ c.end_in_joint]

    def is_finger(c: Capsule) -> bool:
        return parts.get(geometry.skeleton.index(c.joint)) == "finger"

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


def _thinned(geometry: RestGeometry, capsules: list[Capsule]) -> tuple[Capsule, ...]:
    """Capsules with radii reduced where parts overlap at rest by more than is allowed."""
    index = [geometry.skeleton.index(c.joint) for c in capsules]
    above = _carrying_parents(geometry, index)
    ends = [
        tuple(
            geometry.positions[j] + geometry.rotations[j] @ p
            for p in (c.start_in_joint, c.end_in_joint)
        )
        for j, c in zip(index, capsules, strict=True)
    ]
    thinnest: dict[str, float] = {}
    for c in capsules:
        thinnest[c.part_name] = min(thinnest.get(c.part_name, np.inf), c.radius_m)
    apart = [
        (a, b)
        for a in range(len(capsules))
        for b in range(a + 1, len(capsules))
        if capsules[a].part_name != capsules[b].part_name
        and index[a] != index[b]
        and above[index[a]] != index[b]
        and above[index[b]] != index[a]
    ]
    joints = {(index[a], index[b]) for a, b in apart}
    bones = {pair: bones_between(geometry, *pair) for pair in joints}
    largest = dict.fromkeys(apart, 0.0)  # sum of the radii at which they overlap as allowed
    for (a, b), distance in zip(apart, _segment_distances(np.array(ends), apart), strict=True):
        half = 0.5 * min(thinnest[capsules[a].part_name], thinnest[capsules[b].part_name])
        allowed = 0.5 * half if bones[index[a], index[b]] < 4 else 0.0
        largest[a, b] = distance + allowed - _ALLOWANCE_M
    radii = [c.radius_m for c in capsules]
    minimum = [_THINNEST * radius for radius in radii]
    for _ in range(20):
        changed = False
        for (a, b), target in largest.items():
            both = radii[a] + radii[b]
            if both > target + 1e-6:
                factor = max(target / both, 0.3)
                for i in (a, b):
                    thinner = max(radii[i] * factor, minimum[i])
                    changed = changed or thinner < radii[i] - 1e-6
                    radii[i] = thinner
        if not changed:
            break
    return tuple(replace(c, radius_m=r) for c, r in zip(capsules, radii, strict=True))


def _carrying_parents(geometry: RestGeometry, carrying: list[int]) -> dict[int, int]:
    """For each joint with a capsule, its nearest ancestor with a capsule, or -1."""
    out: dict[int, int] = {}
    for joint in set(carrying):
        up = geometry.parent[joint]
        while up >= 0 and up not in carrying:
            up = geometry.parent[up]
        out[joint] = up
    return out


def bones_between(geometry: RestGeometry, a: int, b: int) -> int:
    """Number of bones with length between two joints; 99 if they are not connected."""
    count, parent, top, other = geometry.bones_to_root, geometry.parent, a, b
    while top != other:  # joints are in depth-first order: a parent comes before its children
        if top > other:
            top = parent[top]
        else:
            other = parent[other]
    return 99 if top < 0 else count[a] + count[b] - 2 * count[top]


def segment_distance(a: Floats, b: Floats, c: Floats, d: Floats) -> float:
    """Approximate distance of two segments, from 33 samples of each."""
    return _segment_distances(np.array([[a, b], [c, d]]), [(0, 1)])[0]


def _segment_distances(ends: Floats, pairs: list[tuple[int, int]]) -> list[float]:
    """`segment_distance` of pairs of segments, of which `ends` (n, 2, 3) are given."""
    if not pairs:
        return []
    s = np.linspace(0.0, 1.0, 33)[:, None]
    samples = ends[:, :1] + s * (ends[:, 1:] - ends[:, :1])
    first, second = np.array(pairs).T
    total = np.zeros((len(pairs), 33, 33))
    for c in range(3):
        total += (samples[first, :, None, c] - samples[second, None, :, c]) ** 2
    return np.sqrt(total.min(axis=(1, 2))).tolist()
